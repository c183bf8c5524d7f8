"""Scrapy with its own advice for broad crawls: no cookies, little logging, no delay, the concurrency raised."""

import json
import sys
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

task = json.loads(sys.argv[1])
# With the port, as Scrapy compares.
home = urlsplit(task["start"]).netloc


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [task["start"]]
    extractor = LinkExtractor(
        tags=("a", "area", "frame", "iframe"),
        attrs=("href", "src"),
        allow_domains=() if task["anyHost"] else (home,),
    )

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        for link in self.extractor.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": task["connections"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": task["connections"],
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "CRITICAL",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
    }
)
process.crawl(Pages)
process.start()
