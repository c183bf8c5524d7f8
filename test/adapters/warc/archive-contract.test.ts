import { archiveContract } from "../../contracts/archive.ts";
import { ArchiveDirectories } from "./archive-directories.ts";

archiveContract("WarcArchive", () => new ArchiveDirectories());
