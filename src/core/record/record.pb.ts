// @ts-nocheck -- generated from the .proto file by `npm run generate`
import { decodeMessage } from '../protobuf/decode-message.ts'; import { encodeMessage } from '../protobuf/encode-message.ts'; import { MaxLengthError, message, streamMessage } from 'protons-runtime'
import type { Codec, DecodeOptions } from 'protons-runtime'
import type { Uint8ArrayList } from 'uint8arraylist'

export interface QueueRow {
  url: string
  depth: number
  attempts: number
  redirectChain: string[]
  via?: string
  discoveredAtMs: number
  viaShared: number
  viaRest?: string
  urlShared: number
  urlRests?: string
  taken?: number
  unseen: number
}

export namespace QueueRow {
  let _codec: Codec<QueueRow>

  export const codec = (): Codec<QueueRow> => {
    if (_codec == null) {
      _codec = message<QueueRow>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.url != null && obj.url !== '')) {
          w.uint32(10)
          w.string(obj.url)
        }

        if ((obj.depth != null && obj.depth !== 0)) {
          w.uint32(16)
          w.uint32(obj.depth)
        }

        if ((obj.attempts != null && obj.attempts !== 0)) {
          w.uint32(24)
          w.uint32(obj.attempts)
        }

        if (obj.redirectChain != null && obj.redirectChain.length > 0) {
          for (const value of obj.redirectChain) {
            w.uint32(34)
            w.string(value)
          }
        }

        if (obj.via != null) {
          w.uint32(42)
          w.string(obj.via)
        }

        if ((obj.discoveredAtMs != null && obj.discoveredAtMs !== 0)) {
          w.uint32(48)
          w.uint64Number(obj.discoveredAtMs)
        }

        if ((obj.viaShared != null && obj.viaShared !== 0)) {
          w.uint32(56)
          w.uint32(obj.viaShared)
        }

        if (obj.viaRest != null) {
          w.uint32(66)
          w.string(obj.viaRest)
        }

        if ((obj.urlShared != null && obj.urlShared !== 0)) {
          w.uint32(72)
          w.uint32(obj.urlShared)
        }

        if (obj.urlRests != null) {
          w.uint32(82)
          w.string(obj.urlRests)
        }

        if (obj.taken != null) {
          w.uint32(93)
          w.fixed32(obj.taken)
        }

        if ((obj.unseen != null && obj.unseen !== 0)) {
          w.uint32(96)
          w.uint32(obj.unseen)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          url: '',
          depth: 0,
          attempts: 0,
          redirectChain: [],
          discoveredAtMs: 0,
          viaShared: 0,
          urlShared: 0,
          unseen: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.url = reader.string()
              break
            }
            case 2: {
              obj.depth = reader.uint32()
              break
            }
            case 3: {
              obj.attempts = reader.uint32()
              break
            }
            case 4: {
              if (opts.limits?.redirectChain != null && obj.redirectChain.length === opts.limits.redirectChain) {
                throw new MaxLengthError('Decode error - repeated field "redirectChain" had too many elements')
              }

              obj.redirectChain.push(reader.string())
              break
            }
            case 5: {
              obj.via = reader.string()
              break
            }
            case 6: {
              obj.discoveredAtMs = reader.uint64Number()
              break
            }
            case 7: {
              obj.viaShared = reader.uint32()
              break
            }
            case 8: {
              obj.viaRest = reader.string()
              break
            }
            case 9: {
              obj.urlShared = reader.uint32()
              break
            }
            case 10: {
              obj.urlRests = reader.string()
              break
            }
            case 11: {
              obj.taken = reader.fixed32()
              break
            }
            case 12: {
              obj.unseen = reader.uint32()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const obj = {
          redirectChain: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.url`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.depth`,
                value: reader.uint32()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.attempts`,
                value: reader.uint32()
              }
              break
            }
            case 4: {
              if (opts.limits?.redirectChain != null && obj.redirectChain === opts.limits.redirectChain) {
                throw new MaxLengthError('Streaming decode error - repeated field "redirectChain" had too many elements')
              }

              yield {
                field: `${prefix}.redirectChain[]`,
                index: obj.redirectChain,
                value: reader.string()
              }

              obj.redirectChain++

              break
            }
            case 5: {
              yield {
                field: `${prefix}.via`,
                value: reader.string()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.discoveredAtMs`,
                value: reader.uint64Number()
              }
              break
            }
            case 7: {
              yield {
                field: `${prefix}.viaShared`,
                value: reader.uint32()
              }
              break
            }
            case 8: {
              yield {
                field: `${prefix}.viaRest`,
                value: reader.string()
              }
              break
            }
            case 9: {
              yield {
                field: `${prefix}.urlShared`,
                value: reader.uint32()
              }
              break
            }
            case 10: {
              yield {
                field: `${prefix}.urlRests`,
                value: reader.string()
              }
              break
            }
            case 11: {
              yield {
                field: `${prefix}.taken`,
                value: reader.fixed32()
              }
              break
            }
            case 12: {
              yield {
                field: `${prefix}.unseen`,
                value: reader.uint32()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface QueueRowUrlFieldEvent {
    field: '$.url'
    value: string
  }

  export interface QueueRowDepthFieldEvent {
    field: '$.depth'
    value: number
  }

  export interface QueueRowAttemptsFieldEvent {
    field: '$.attempts'
    value: number
  }

  export interface QueueRowRedirectChainFieldEvent {
    field: '$.redirectChain[]'
    index: number
    value: string
  }

  export interface QueueRowViaFieldEvent {
    field: '$.via'
    value: string
  }

  export interface QueueRowDiscoveredAtMsFieldEvent {
    field: '$.discoveredAtMs'
    value: number
  }

  export interface QueueRowViaSharedFieldEvent {
    field: '$.viaShared'
    value: number
  }

  export interface QueueRowViaRestFieldEvent {
    field: '$.viaRest'
    value: string
  }

  export interface QueueRowUrlSharedFieldEvent {
    field: '$.urlShared'
    value: number
  }

  export interface QueueRowUrlRestsFieldEvent {
    field: '$.urlRests'
    value: string
  }

  export interface QueueRowTakenFieldEvent {
    field: '$.taken'
    value: number
  }

  export interface QueueRowUnseenFieldEvent {
    field: '$.unseen'
    value: number
  }

  export function encode (obj: Partial<QueueRow>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, QueueRow.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<QueueRow>): QueueRow {
    return decodeMessage(buf, QueueRow.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<QueueRow>): Generator<QueueRowUrlFieldEvent | QueueRowDepthFieldEvent | QueueRowAttemptsFieldEvent | QueueRowRedirectChainFieldEvent | QueueRowViaFieldEvent | QueueRowDiscoveredAtMsFieldEvent | QueueRowViaSharedFieldEvent | QueueRowViaRestFieldEvent | QueueRowUrlSharedFieldEvent | QueueRowUrlRestsFieldEvent | QueueRowTakenFieldEvent | QueueRowUnseenFieldEvent> {
    return streamMessage(buf, QueueRow.codec(), opts)
  }
}

export interface OutboxEntry {
  url: string
  depth: number
  via?: string
  redirectChain: string[]
  job: string
  excluded?: string
}

export namespace OutboxEntry {
  let _codec: Codec<OutboxEntry>

  export const codec = (): Codec<OutboxEntry> => {
    if (_codec == null) {
      _codec = message<OutboxEntry>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.url != null && obj.url !== '')) {
          w.uint32(10)
          w.string(obj.url)
        }

        if ((obj.depth != null && obj.depth !== 0)) {
          w.uint32(16)
          w.uint32(obj.depth)
        }

        if (obj.via != null) {
          w.uint32(26)
          w.string(obj.via)
        }

        if (obj.redirectChain != null && obj.redirectChain.length > 0) {
          for (const value of obj.redirectChain) {
            w.uint32(34)
            w.string(value)
          }
        }

        if ((obj.job != null && obj.job !== '')) {
          w.uint32(42)
          w.string(obj.job)
        }

        if (obj.excluded != null) {
          w.uint32(50)
          w.string(obj.excluded)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          url: '',
          depth: 0,
          redirectChain: [],
          job: ''
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.url = reader.string()
              break
            }
            case 2: {
              obj.depth = reader.uint32()
              break
            }
            case 3: {
              obj.via = reader.string()
              break
            }
            case 4: {
              if (opts.limits?.redirectChain != null && obj.redirectChain.length === opts.limits.redirectChain) {
                throw new MaxLengthError('Decode error - repeated field "redirectChain" had too many elements')
              }

              obj.redirectChain.push(reader.string())
              break
            }
            case 5: {
              obj.job = reader.string()
              break
            }
            case 6: {
              obj.excluded = reader.string()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const obj = {
          redirectChain: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.url`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.depth`,
                value: reader.uint32()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.via`,
                value: reader.string()
              }
              break
            }
            case 4: {
              if (opts.limits?.redirectChain != null && obj.redirectChain === opts.limits.redirectChain) {
                throw new MaxLengthError('Streaming decode error - repeated field "redirectChain" had too many elements')
              }

              yield {
                field: `${prefix}.redirectChain[]`,
                index: obj.redirectChain,
                value: reader.string()
              }

              obj.redirectChain++

              break
            }
            case 5: {
              yield {
                field: `${prefix}.job`,
                value: reader.string()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.excluded`,
                value: reader.string()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface OutboxEntryUrlFieldEvent {
    field: '$.url'
    value: string
  }

  export interface OutboxEntryDepthFieldEvent {
    field: '$.depth'
    value: number
  }

  export interface OutboxEntryViaFieldEvent {
    field: '$.via'
    value: string
  }

  export interface OutboxEntryRedirectChainFieldEvent {
    field: '$.redirectChain[]'
    index: number
    value: string
  }

  export interface OutboxEntryJobFieldEvent {
    field: '$.job'
    value: string
  }

  export interface OutboxEntryExcludedFieldEvent {
    field: '$.excluded'
    value: string
  }

  export function encode (obj: Partial<OutboxEntry>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, OutboxEntry.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<OutboxEntry>): OutboxEntry {
    return decodeMessage(buf, OutboxEntry.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<OutboxEntry>): Generator<OutboxEntryUrlFieldEvent | OutboxEntryDepthFieldEvent | OutboxEntryViaFieldEvent | OutboxEntryRedirectChainFieldEvent | OutboxEntryJobFieldEvent | OutboxEntryExcludedFieldEvent> {
    return streamMessage(buf, OutboxEntry.codec(), opts)
  }
}

export interface UrlRecord {
  state: number
  url?: string
  fetchedAtMs: number
  attempts: number
  httpStatus: number
  redirect?: string
  failure?: string
  excluded?: string
  depth: number
  bodyBytes: number
  contentType?: string
  title?: string
  payloadDigest?: string
  etag?: string
  lastModified?: string
  capture?: Location
  body?: Location
  truncated: boolean
  noindex: boolean
  charset?: string
  capturedBy?: string
  via?: string
  linkedAs?: string
}

export namespace UrlRecord {
  let _codec: Codec<UrlRecord>

  export const codec = (): Codec<UrlRecord> => {
    if (_codec == null) {
      _codec = message<UrlRecord>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.state != null && obj.state !== 0)) {
          w.uint32(8)
          w.uint32(obj.state)
        }

        if (obj.url != null) {
          w.uint32(18)
          w.string(obj.url)
        }

        if ((obj.fetchedAtMs != null && obj.fetchedAtMs !== 0)) {
          w.uint32(24)
          w.uint64Number(obj.fetchedAtMs)
        }

        if ((obj.attempts != null && obj.attempts !== 0)) {
          w.uint32(32)
          w.uint32(obj.attempts)
        }

        if ((obj.httpStatus != null && obj.httpStatus !== 0)) {
          w.uint32(40)
          w.uint32(obj.httpStatus)
        }

        if (obj.redirect != null) {
          w.uint32(50)
          w.string(obj.redirect)
        }

        if (obj.failure != null) {
          w.uint32(58)
          w.string(obj.failure)
        }

        if (obj.excluded != null) {
          w.uint32(66)
          w.string(obj.excluded)
        }

        if ((obj.depth != null && obj.depth !== 0)) {
          w.uint32(72)
          w.uint32(obj.depth)
        }

        if ((obj.bodyBytes != null && obj.bodyBytes !== 0)) {
          w.uint32(80)
          w.uint64Number(obj.bodyBytes)
        }

        if (obj.contentType != null) {
          w.uint32(90)
          w.string(obj.contentType)
        }

        if (obj.title != null) {
          w.uint32(98)
          w.string(obj.title)
        }

        if (obj.payloadDigest != null) {
          w.uint32(106)
          w.string(obj.payloadDigest)
        }

        if (obj.etag != null) {
          w.uint32(114)
          w.string(obj.etag)
        }

        if (obj.lastModified != null) {
          w.uint32(122)
          w.string(obj.lastModified)
        }

        if (obj.capture != null) {
          w.uint32(130)
          Location.codec().encode(obj.capture, w)
        }

        if (obj.body != null) {
          w.uint32(138)
          Location.codec().encode(obj.body, w)
        }

        if ((obj.truncated != null && obj.truncated !== false)) {
          w.uint32(144)
          w.bool(obj.truncated)
        }

        if ((obj.noindex != null && obj.noindex !== false)) {
          w.uint32(152)
          w.bool(obj.noindex)
        }

        if (obj.charset != null) {
          w.uint32(162)
          w.string(obj.charset)
        }

        if (obj.capturedBy != null) {
          w.uint32(170)
          w.string(obj.capturedBy)
        }

        if (obj.via != null) {
          w.uint32(178)
          w.string(obj.via)
        }

        if (obj.linkedAs != null) {
          w.uint32(186)
          w.string(obj.linkedAs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          state: 0,
          fetchedAtMs: 0,
          attempts: 0,
          httpStatus: 0,
          depth: 0,
          bodyBytes: 0,
          truncated: false,
          noindex: false
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.state = reader.uint32()
              break
            }
            case 2: {
              obj.url = reader.string()
              break
            }
            case 3: {
              obj.fetchedAtMs = reader.uint64Number()
              break
            }
            case 4: {
              obj.attempts = reader.uint32()
              break
            }
            case 5: {
              obj.httpStatus = reader.uint32()
              break
            }
            case 6: {
              obj.redirect = reader.string()
              break
            }
            case 7: {
              obj.failure = reader.string()
              break
            }
            case 8: {
              obj.excluded = reader.string()
              break
            }
            case 9: {
              obj.depth = reader.uint32()
              break
            }
            case 10: {
              obj.bodyBytes = reader.uint64Number()
              break
            }
            case 11: {
              obj.contentType = reader.string()
              break
            }
            case 12: {
              obj.title = reader.string()
              break
            }
            case 13: {
              obj.payloadDigest = reader.string()
              break
            }
            case 14: {
              obj.etag = reader.string()
              break
            }
            case 15: {
              obj.lastModified = reader.string()
              break
            }
            case 16: {
              obj.capture = Location.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.capture
              })
              break
            }
            case 17: {
              obj.body = Location.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.body
              })
              break
            }
            case 18: {
              obj.truncated = reader.bool()
              break
            }
            case 19: {
              obj.noindex = reader.bool()
              break
            }
            case 20: {
              obj.charset = reader.string()
              break
            }
            case 21: {
              obj.capturedBy = reader.string()
              break
            }
            case 22: {
              obj.via = reader.string()
              break
            }
            case 23: {
              obj.linkedAs = reader.string()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.state`,
                value: reader.uint32()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.url`,
                value: reader.string()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.fetchedAtMs`,
                value: reader.uint64Number()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.attempts`,
                value: reader.uint32()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.httpStatus`,
                value: reader.uint32()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.redirect`,
                value: reader.string()
              }
              break
            }
            case 7: {
              yield {
                field: `${prefix}.failure`,
                value: reader.string()
              }
              break
            }
            case 8: {
              yield {
                field: `${prefix}.excluded`,
                value: reader.string()
              }
              break
            }
            case 9: {
              yield {
                field: `${prefix}.depth`,
                value: reader.uint32()
              }
              break
            }
            case 10: {
              yield {
                field: `${prefix}.bodyBytes`,
                value: reader.uint64Number()
              }
              break
            }
            case 11: {
              yield {
                field: `${prefix}.contentType`,
                value: reader.string()
              }
              break
            }
            case 12: {
              yield {
                field: `${prefix}.title`,
                value: reader.string()
              }
              break
            }
            case 13: {
              yield {
                field: `${prefix}.payloadDigest`,
                value: reader.string()
              }
              break
            }
            case 14: {
              yield {
                field: `${prefix}.etag`,
                value: reader.string()
              }
              break
            }
            case 15: {
              yield {
                field: `${prefix}.lastModified`,
                value: reader.string()
              }
              break
            }
            case 16: {
              yield * Location.codec().stream(reader, reader.uint32(), `${prefix}.capture`, {
                limits: opts.limits?.capture
              })

              break
            }
            case 17: {
              yield * Location.codec().stream(reader, reader.uint32(), `${prefix}.body`, {
                limits: opts.limits?.body
              })

              break
            }
            case 18: {
              yield {
                field: `${prefix}.truncated`,
                value: reader.bool()
              }
              break
            }
            case 19: {
              yield {
                field: `${prefix}.noindex`,
                value: reader.bool()
              }
              break
            }
            case 20: {
              yield {
                field: `${prefix}.charset`,
                value: reader.string()
              }
              break
            }
            case 21: {
              yield {
                field: `${prefix}.capturedBy`,
                value: reader.string()
              }
              break
            }
            case 22: {
              yield {
                field: `${prefix}.via`,
                value: reader.string()
              }
              break
            }
            case 23: {
              yield {
                field: `${prefix}.linkedAs`,
                value: reader.string()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface UrlRecordStateFieldEvent {
    field: '$.state'
    value: number
  }

  export interface UrlRecordUrlFieldEvent {
    field: '$.url'
    value: string
  }

  export interface UrlRecordFetchedAtMsFieldEvent {
    field: '$.fetchedAtMs'
    value: number
  }

  export interface UrlRecordAttemptsFieldEvent {
    field: '$.attempts'
    value: number
  }

  export interface UrlRecordHttpStatusFieldEvent {
    field: '$.httpStatus'
    value: number
  }

  export interface UrlRecordRedirectFieldEvent {
    field: '$.redirect'
    value: string
  }

  export interface UrlRecordFailureFieldEvent {
    field: '$.failure'
    value: string
  }

  export interface UrlRecordExcludedFieldEvent {
    field: '$.excluded'
    value: string
  }

  export interface UrlRecordDepthFieldEvent {
    field: '$.depth'
    value: number
  }

  export interface UrlRecordBodyBytesFieldEvent {
    field: '$.bodyBytes'
    value: number
  }

  export interface UrlRecordContentTypeFieldEvent {
    field: '$.contentType'
    value: string
  }

  export interface UrlRecordTitleFieldEvent {
    field: '$.title'
    value: string
  }

  export interface UrlRecordPayloadDigestFieldEvent {
    field: '$.payloadDigest'
    value: string
  }

  export interface UrlRecordEtagFieldEvent {
    field: '$.etag'
    value: string
  }

  export interface UrlRecordLastModifiedFieldEvent {
    field: '$.lastModified'
    value: string
  }

  export interface UrlRecordCaptureFileFieldEvent {
    field: '$.capture.file'
    value: string
  }

  export interface UrlRecordCaptureOffsetFieldEvent {
    field: '$.capture.offset'
    value: number
  }

  export interface UrlRecordCaptureLengthFieldEvent {
    field: '$.capture.length'
    value: number
  }

  export interface UrlRecordBodyFileFieldEvent {
    field: '$.body.file'
    value: string
  }

  export interface UrlRecordBodyOffsetFieldEvent {
    field: '$.body.offset'
    value: number
  }

  export interface UrlRecordBodyLengthFieldEvent {
    field: '$.body.length'
    value: number
  }

  export interface UrlRecordTruncatedFieldEvent {
    field: '$.truncated'
    value: boolean
  }

  export interface UrlRecordNoindexFieldEvent {
    field: '$.noindex'
    value: boolean
  }

  export interface UrlRecordCharsetFieldEvent {
    field: '$.charset'
    value: string
  }

  export interface UrlRecordCapturedByFieldEvent {
    field: '$.capturedBy'
    value: string
  }

  export interface UrlRecordViaFieldEvent {
    field: '$.via'
    value: string
  }

  export interface UrlRecordLinkedAsFieldEvent {
    field: '$.linkedAs'
    value: string
  }

  export function encode (obj: Partial<UrlRecord>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, UrlRecord.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<UrlRecord>): UrlRecord {
    return decodeMessage(buf, UrlRecord.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<UrlRecord>): Generator<UrlRecordStateFieldEvent | UrlRecordUrlFieldEvent | UrlRecordFetchedAtMsFieldEvent | UrlRecordAttemptsFieldEvent | UrlRecordHttpStatusFieldEvent | UrlRecordRedirectFieldEvent | UrlRecordFailureFieldEvent | UrlRecordExcludedFieldEvent | UrlRecordDepthFieldEvent | UrlRecordBodyBytesFieldEvent | UrlRecordContentTypeFieldEvent | UrlRecordTitleFieldEvent | UrlRecordPayloadDigestFieldEvent | UrlRecordEtagFieldEvent | UrlRecordLastModifiedFieldEvent | UrlRecordCaptureFileFieldEvent | UrlRecordCaptureOffsetFieldEvent | UrlRecordCaptureLengthFieldEvent | UrlRecordBodyFileFieldEvent | UrlRecordBodyOffsetFieldEvent | UrlRecordBodyLengthFieldEvent | UrlRecordTruncatedFieldEvent | UrlRecordNoindexFieldEvent | UrlRecordCharsetFieldEvent | UrlRecordCapturedByFieldEvent | UrlRecordViaFieldEvent | UrlRecordLinkedAsFieldEvent> {
    return streamMessage(buf, UrlRecord.codec(), opts)
  }
}

export interface UrlOutcome {
  state: number
  httpStatus: number
  excluded?: string
}

export namespace UrlOutcome {
  let _codec: Codec<UrlOutcome>

  export const codec = (): Codec<UrlOutcome> => {
    if (_codec == null) {
      _codec = message<UrlOutcome>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.state != null && obj.state !== 0)) {
          w.uint32(8)
          w.uint32(obj.state)
        }

        if ((obj.httpStatus != null && obj.httpStatus !== 0)) {
          w.uint32(40)
          w.uint32(obj.httpStatus)
        }

        if (obj.excluded != null) {
          w.uint32(66)
          w.string(obj.excluded)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          state: 0,
          httpStatus: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.state = reader.uint32()
              break
            }
            case 5: {
              obj.httpStatus = reader.uint32()
              break
            }
            case 8: {
              obj.excluded = reader.string()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.state`,
                value: reader.uint32()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.httpStatus`,
                value: reader.uint32()
              }
              break
            }
            case 8: {
              yield {
                field: `${prefix}.excluded`,
                value: reader.string()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface UrlOutcomeStateFieldEvent {
    field: '$.state'
    value: number
  }

  export interface UrlOutcomeHttpStatusFieldEvent {
    field: '$.httpStatus'
    value: number
  }

  export interface UrlOutcomeExcludedFieldEvent {
    field: '$.excluded'
    value: string
  }

  export function encode (obj: Partial<UrlOutcome>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, UrlOutcome.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<UrlOutcome>): UrlOutcome {
    return decodeMessage(buf, UrlOutcome.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<UrlOutcome>): Generator<UrlOutcomeStateFieldEvent | UrlOutcomeHttpStatusFieldEvent | UrlOutcomeExcludedFieldEvent> {
    return streamMessage(buf, UrlOutcome.codec(), opts)
  }
}

export interface Location {
  file: string
  offset: number
  length: number
}

export namespace Location {
  let _codec: Codec<Location>

  export const codec = (): Codec<Location> => {
    if (_codec == null) {
      _codec = message<Location>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.file != null && obj.file !== '')) {
          w.uint32(10)
          w.string(obj.file)
        }

        if ((obj.offset != null && obj.offset !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.offset)
        }

        if ((obj.length != null && obj.length !== 0)) {
          w.uint32(24)
          w.uint32(obj.length)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          file: '',
          offset: 0,
          length: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.file = reader.string()
              break
            }
            case 2: {
              obj.offset = reader.uint64Number()
              break
            }
            case 3: {
              obj.length = reader.uint32()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.file`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.offset`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.length`,
                value: reader.uint32()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface LocationFileFieldEvent {
    field: '$.file'
    value: string
  }

  export interface LocationOffsetFieldEvent {
    field: '$.offset'
    value: number
  }

  export interface LocationLengthFieldEvent {
    field: '$.length'
    value: number
  }

  export function encode (obj: Partial<Location>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Location.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Location>): Location {
    return decodeMessage(buf, Location.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Location>): Generator<LocationFileFieldEvent | LocationOffsetFieldEvent | LocationLengthFieldEvent> {
    return streamMessage(buf, Location.codec(), opts)
  }
}

export interface ExclusionRecord {
  url: string
  reason: string
}

export namespace ExclusionRecord {
  let _codec: Codec<ExclusionRecord>

  export const codec = (): Codec<ExclusionRecord> => {
    if (_codec == null) {
      _codec = message<ExclusionRecord>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.url != null && obj.url !== '')) {
          w.uint32(10)
          w.string(obj.url)
        }

        if ((obj.reason != null && obj.reason !== '')) {
          w.uint32(18)
          w.string(obj.reason)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          url: '',
          reason: ''
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.url = reader.string()
              break
            }
            case 2: {
              obj.reason = reader.string()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.url`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.reason`,
                value: reader.string()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface ExclusionRecordUrlFieldEvent {
    field: '$.url'
    value: string
  }

  export interface ExclusionRecordReasonFieldEvent {
    field: '$.reason'
    value: string
  }

  export function encode (obj: Partial<ExclusionRecord>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, ExclusionRecord.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ExclusionRecord>): ExclusionRecord {
    return decodeMessage(buf, ExclusionRecord.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ExclusionRecord>): Generator<ExclusionRecordUrlFieldEvent | ExclusionRecordReasonFieldEvent> {
    return streamMessage(buf, ExclusionRecord.codec(), opts)
  }
}

export interface HostRecord {
  host: string
  nextFetchAtMs: number
  failuresInRow: number
  haltedUntilMs?: number
  breakerBuckets: BreakerBucket[]
  jobs: HostJob[]
  crawlDelayMs?: number
  politeUntilMs?: number
  backoffUntilMs?: number
  breakerUntilMs?: number
  learnedDelayMs?: number
}

export namespace HostRecord {
  let _codec: Codec<HostRecord>

  export const codec = (): Codec<HostRecord> => {
    if (_codec == null) {
      _codec = message<HostRecord>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.host != null && obj.host !== '')) {
          w.uint32(10)
          w.string(obj.host)
        }

        if ((obj.nextFetchAtMs != null && obj.nextFetchAtMs !== 0)) {
          w.uint32(17)
          w.double(obj.nextFetchAtMs)
        }

        if ((obj.failuresInRow != null && obj.failuresInRow !== 0)) {
          w.uint32(24)
          w.uint32(obj.failuresInRow)
        }

        if (obj.haltedUntilMs != null) {
          w.uint32(33)
          w.double(obj.haltedUntilMs)
        }

        if (obj.breakerBuckets != null && obj.breakerBuckets.length > 0) {
          for (const value of obj.breakerBuckets) {
            w.uint32(50)
            BreakerBucket.codec().encode(value, w)
          }
        }

        if (obj.jobs != null && obj.jobs.length > 0) {
          for (const value of obj.jobs) {
            w.uint32(58)
            HostJob.codec().encode(value, w)
          }
        }

        if (obj.crawlDelayMs != null) {
          w.uint32(65)
          w.double(obj.crawlDelayMs)
        }

        if (obj.politeUntilMs != null) {
          w.uint32(73)
          w.double(obj.politeUntilMs)
        }

        if (obj.backoffUntilMs != null) {
          w.uint32(81)
          w.double(obj.backoffUntilMs)
        }

        if (obj.breakerUntilMs != null) {
          w.uint32(89)
          w.double(obj.breakerUntilMs)
        }

        if (obj.learnedDelayMs != null) {
          w.uint32(97)
          w.double(obj.learnedDelayMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          host: '',
          nextFetchAtMs: 0,
          failuresInRow: 0,
          breakerBuckets: [],
          jobs: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.host = reader.string()
              break
            }
            case 2: {
              obj.nextFetchAtMs = reader.double()
              break
            }
            case 3: {
              obj.failuresInRow = reader.uint32()
              break
            }
            case 4: {
              obj.haltedUntilMs = reader.double()
              break
            }
            case 6: {
              if (opts.limits?.breakerBuckets != null && obj.breakerBuckets.length === opts.limits.breakerBuckets) {
                throw new MaxLengthError('Decode error - repeated field "breakerBuckets" had too many elements')
              }

              obj.breakerBuckets.push(BreakerBucket.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.breakerBuckets$
              }))
              break
            }
            case 7: {
              if (opts.limits?.jobs != null && obj.jobs.length === opts.limits.jobs) {
                throw new MaxLengthError('Decode error - repeated field "jobs" had too many elements')
              }

              obj.jobs.push(HostJob.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.jobs$
              }))
              break
            }
            case 8: {
              obj.crawlDelayMs = reader.double()
              break
            }
            case 9: {
              obj.politeUntilMs = reader.double()
              break
            }
            case 10: {
              obj.backoffUntilMs = reader.double()
              break
            }
            case 11: {
              obj.breakerUntilMs = reader.double()
              break
            }
            case 12: {
              obj.learnedDelayMs = reader.double()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const obj = {
          breakerBuckets: 0,
          jobs: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.host`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.nextFetchAtMs`,
                value: reader.double()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.failuresInRow`,
                value: reader.uint32()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.haltedUntilMs`,
                value: reader.double()
              }
              break
            }
            case 6: {
              if (opts.limits?.breakerBuckets != null && obj.breakerBuckets === opts.limits.breakerBuckets) {
                throw new MaxLengthError('Streaming decode error - repeated field "breakerBuckets" had too many elements')
              }

              for (const evt of BreakerBucket.codec().stream(reader, reader.uint32(), `${prefix}.breakerBuckets[]`, {
                limits: opts.limits?.breakerBuckets$
              })) {
                yield {
                  ...evt,
                  index: obj.breakerBuckets
                }
              }

              obj.breakerBuckets++

              break
            }
            case 7: {
              if (opts.limits?.jobs != null && obj.jobs === opts.limits.jobs) {
                throw new MaxLengthError('Streaming decode error - repeated field "jobs" had too many elements')
              }

              for (const evt of HostJob.codec().stream(reader, reader.uint32(), `${prefix}.jobs[]`, {
                limits: opts.limits?.jobs$
              })) {
                yield {
                  ...evt,
                  index: obj.jobs
                }
              }

              obj.jobs++

              break
            }
            case 8: {
              yield {
                field: `${prefix}.crawlDelayMs`,
                value: reader.double()
              }
              break
            }
            case 9: {
              yield {
                field: `${prefix}.politeUntilMs`,
                value: reader.double()
              }
              break
            }
            case 10: {
              yield {
                field: `${prefix}.backoffUntilMs`,
                value: reader.double()
              }
              break
            }
            case 11: {
              yield {
                field: `${prefix}.breakerUntilMs`,
                value: reader.double()
              }
              break
            }
            case 12: {
              yield {
                field: `${prefix}.learnedDelayMs`,
                value: reader.double()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface HostRecordHostFieldEvent {
    field: '$.host'
    value: string
  }

  export interface HostRecordNextFetchAtMsFieldEvent {
    field: '$.nextFetchAtMs'
    value: number
  }

  export interface HostRecordFailuresInRowFieldEvent {
    field: '$.failuresInRow'
    value: number
  }

  export interface HostRecordHaltedUntilMsFieldEvent {
    field: '$.haltedUntilMs'
    value: number
  }

  export interface HostRecordBreakerBucketsStartAtMsFieldEvent {
    field: '$.breakerBuckets[].startAtMs'
    value: number
    index: number
  }

  export interface HostRecordBreakerBucketsTotalFieldEvent {
    field: '$.breakerBuckets[].total'
    value: number
    index: number
  }

  export interface HostRecordBreakerBucketsFailedFieldEvent {
    field: '$.breakerBuckets[].failed'
    value: number
    index: number
  }

  export interface HostRecordJobsSpaceFieldEvent {
    field: '$.jobs[].space'
    value: number
    index: number
  }

  export interface HostRecordJobsAdmittedFieldEvent {
    field: '$.jobs[].admitted'
    value: number
    index: number
  }

  export interface HostRecordCrawlDelayMsFieldEvent {
    field: '$.crawlDelayMs'
    value: number
  }

  export interface HostRecordPoliteUntilMsFieldEvent {
    field: '$.politeUntilMs'
    value: number
  }

  export interface HostRecordBackoffUntilMsFieldEvent {
    field: '$.backoffUntilMs'
    value: number
  }

  export interface HostRecordBreakerUntilMsFieldEvent {
    field: '$.breakerUntilMs'
    value: number
  }

  export interface HostRecordLearnedDelayMsFieldEvent {
    field: '$.learnedDelayMs'
    value: number
  }

  export function encode (obj: Partial<HostRecord>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, HostRecord.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HostRecord>): HostRecord {
    return decodeMessage(buf, HostRecord.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HostRecord>): Generator<HostRecordHostFieldEvent | HostRecordNextFetchAtMsFieldEvent | HostRecordFailuresInRowFieldEvent | HostRecordHaltedUntilMsFieldEvent | HostRecordBreakerBucketsStartAtMsFieldEvent | HostRecordBreakerBucketsTotalFieldEvent | HostRecordBreakerBucketsFailedFieldEvent | HostRecordJobsSpaceFieldEvent | HostRecordJobsAdmittedFieldEvent | HostRecordCrawlDelayMsFieldEvent | HostRecordPoliteUntilMsFieldEvent | HostRecordBackoffUntilMsFieldEvent | HostRecordBreakerUntilMsFieldEvent | HostRecordLearnedDelayMsFieldEvent> {
    return streamMessage(buf, HostRecord.codec(), opts)
  }
}

export interface HostJob {
  space: number
  admitted: number
}

export namespace HostJob {
  let _codec: Codec<HostJob>

  export const codec = (): Codec<HostJob> => {
    if (_codec == null) {
      _codec = message<HostJob>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.space != null && obj.space !== 0)) {
          w.uint32(8)
          w.uint32(obj.space)
        }

        if ((obj.admitted != null && obj.admitted !== 0)) {
          w.uint32(16)
          w.uint32(obj.admitted)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          space: 0,
          admitted: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.space = reader.uint32()
              break
            }
            case 2: {
              obj.admitted = reader.uint32()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.space`,
                value: reader.uint32()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.admitted`,
                value: reader.uint32()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface HostJobSpaceFieldEvent {
    field: '$.space'
    value: number
  }

  export interface HostJobAdmittedFieldEvent {
    field: '$.admitted'
    value: number
  }

  export function encode (obj: Partial<HostJob>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, HostJob.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HostJob>): HostJob {
    return decodeMessage(buf, HostJob.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HostJob>): Generator<HostJobSpaceFieldEvent | HostJobAdmittedFieldEvent> {
    return streamMessage(buf, HostJob.codec(), opts)
  }
}

export interface BreakerBucket {
  startAtMs: number
  total: number
  failed: number
}

export namespace BreakerBucket {
  let _codec: Codec<BreakerBucket>

  export const codec = (): Codec<BreakerBucket> => {
    if (_codec == null) {
      _codec = message<BreakerBucket>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.startAtMs != null && obj.startAtMs !== 0)) {
          w.uint32(9)
          w.double(obj.startAtMs)
        }

        if ((obj.total != null && obj.total !== 0)) {
          w.uint32(16)
          w.uint32(obj.total)
        }

        if ((obj.failed != null && obj.failed !== 0)) {
          w.uint32(24)
          w.uint32(obj.failed)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          startAtMs: 0,
          total: 0,
          failed: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.startAtMs = reader.double()
              break
            }
            case 2: {
              obj.total = reader.uint32()
              break
            }
            case 3: {
              obj.failed = reader.uint32()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.startAtMs`,
                value: reader.double()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.total`,
                value: reader.uint32()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.failed`,
                value: reader.uint32()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface BreakerBucketStartAtMsFieldEvent {
    field: '$.startAtMs'
    value: number
  }

  export interface BreakerBucketTotalFieldEvent {
    field: '$.total'
    value: number
  }

  export interface BreakerBucketFailedFieldEvent {
    field: '$.failed'
    value: number
  }

  export function encode (obj: Partial<BreakerBucket>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, BreakerBucket.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<BreakerBucket>): BreakerBucket {
    return decodeMessage(buf, BreakerBucket.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<BreakerBucket>): Generator<BreakerBucketStartAtMsFieldEvent | BreakerBucketTotalFieldEvent | BreakerBucketFailedFieldEvent> {
    return streamMessage(buf, BreakerBucket.codec(), opts)
  }
}

export interface RobotsRecord {
  origin: string
  verdict: string
  body: string
  fetchedAtMs: number
  expiresAtMs: number
  httpStatus: number
  failuresInRow: number
  failure?: string
  elsewhere?: boolean
  cutsInRow?: number
}

export namespace RobotsRecord {
  let _codec: Codec<RobotsRecord>

  export const codec = (): Codec<RobotsRecord> => {
    if (_codec == null) {
      _codec = message<RobotsRecord>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.origin != null && obj.origin !== '')) {
          w.uint32(10)
          w.string(obj.origin)
        }

        if ((obj.verdict != null && obj.verdict !== '')) {
          w.uint32(18)
          w.string(obj.verdict)
        }

        if ((obj.body != null && obj.body !== '')) {
          w.uint32(26)
          w.string(obj.body)
        }

        if ((obj.fetchedAtMs != null && obj.fetchedAtMs !== 0)) {
          w.uint32(33)
          w.double(obj.fetchedAtMs)
        }

        if ((obj.expiresAtMs != null && obj.expiresAtMs !== 0)) {
          w.uint32(41)
          w.double(obj.expiresAtMs)
        }

        if ((obj.httpStatus != null && obj.httpStatus !== 0)) {
          w.uint32(48)
          w.uint32(obj.httpStatus)
        }

        if ((obj.failuresInRow != null && obj.failuresInRow !== 0)) {
          w.uint32(56)
          w.uint32(obj.failuresInRow)
        }

        if (obj.failure != null) {
          w.uint32(66)
          w.string(obj.failure)
        }

        if (obj.elsewhere != null) {
          w.uint32(72)
          w.bool(obj.elsewhere)
        }

        if (obj.cutsInRow != null) {
          w.uint32(80)
          w.uint32(obj.cutsInRow)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          origin: '',
          verdict: '',
          body: '',
          fetchedAtMs: 0,
          expiresAtMs: 0,
          httpStatus: 0,
          failuresInRow: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.origin = reader.string()
              break
            }
            case 2: {
              obj.verdict = reader.string()
              break
            }
            case 3: {
              obj.body = reader.string()
              break
            }
            case 4: {
              obj.fetchedAtMs = reader.double()
              break
            }
            case 5: {
              obj.expiresAtMs = reader.double()
              break
            }
            case 6: {
              obj.httpStatus = reader.uint32()
              break
            }
            case 7: {
              obj.failuresInRow = reader.uint32()
              break
            }
            case 8: {
              obj.failure = reader.string()
              break
            }
            case 9: {
              obj.elsewhere = reader.bool()
              break
            }
            case 10: {
              obj.cutsInRow = reader.uint32()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.origin`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.verdict`,
                value: reader.string()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.body`,
                value: reader.string()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.fetchedAtMs`,
                value: reader.double()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.expiresAtMs`,
                value: reader.double()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.httpStatus`,
                value: reader.uint32()
              }
              break
            }
            case 7: {
              yield {
                field: `${prefix}.failuresInRow`,
                value: reader.uint32()
              }
              break
            }
            case 8: {
              yield {
                field: `${prefix}.failure`,
                value: reader.string()
              }
              break
            }
            case 9: {
              yield {
                field: `${prefix}.elsewhere`,
                value: reader.bool()
              }
              break
            }
            case 10: {
              yield {
                field: `${prefix}.cutsInRow`,
                value: reader.uint32()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface RobotsRecordOriginFieldEvent {
    field: '$.origin'
    value: string
  }

  export interface RobotsRecordVerdictFieldEvent {
    field: '$.verdict'
    value: string
  }

  export interface RobotsRecordBodyFieldEvent {
    field: '$.body'
    value: string
  }

  export interface RobotsRecordFetchedAtMsFieldEvent {
    field: '$.fetchedAtMs'
    value: number
  }

  export interface RobotsRecordExpiresAtMsFieldEvent {
    field: '$.expiresAtMs'
    value: number
  }

  export interface RobotsRecordHttpStatusFieldEvent {
    field: '$.httpStatus'
    value: number
  }

  export interface RobotsRecordFailuresInRowFieldEvent {
    field: '$.failuresInRow'
    value: number
  }

  export interface RobotsRecordFailureFieldEvent {
    field: '$.failure'
    value: string
  }

  export interface RobotsRecordElsewhereFieldEvent {
    field: '$.elsewhere'
    value: boolean
  }

  export interface RobotsRecordCutsInRowFieldEvent {
    field: '$.cutsInRow'
    value: number
  }

  export function encode (obj: Partial<RobotsRecord>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, RobotsRecord.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RobotsRecord>): RobotsRecord {
    return decodeMessage(buf, RobotsRecord.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RobotsRecord>): Generator<RobotsRecordOriginFieldEvent | RobotsRecordVerdictFieldEvent | RobotsRecordBodyFieldEvent | RobotsRecordFetchedAtMsFieldEvent | RobotsRecordExpiresAtMsFieldEvent | RobotsRecordHttpStatusFieldEvent | RobotsRecordFailuresInRowFieldEvent | RobotsRecordFailureFieldEvent | RobotsRecordElsewhereFieldEvent | RobotsRecordCutsInRowFieldEvent> {
    return streamMessage(buf, RobotsRecord.codec(), opts)
  }
}

export interface DigestRecord {
  url: string
  fetchedAtMs: number
  capture?: Location
}

export namespace DigestRecord {
  let _codec: Codec<DigestRecord>

  export const codec = (): Codec<DigestRecord> => {
    if (_codec == null) {
      _codec = message<DigestRecord>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.url != null && obj.url !== '')) {
          w.uint32(10)
          w.string(obj.url)
        }

        if ((obj.fetchedAtMs != null && obj.fetchedAtMs !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.fetchedAtMs)
        }

        if (obj.capture != null) {
          w.uint32(26)
          Location.codec().encode(obj.capture, w)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          url: '',
          fetchedAtMs: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.url = reader.string()
              break
            }
            case 2: {
              obj.fetchedAtMs = reader.uint64Number()
              break
            }
            case 3: {
              obj.capture = Location.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.capture
              })
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.url`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.fetchedAtMs`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              yield * Location.codec().stream(reader, reader.uint32(), `${prefix}.capture`, {
                limits: opts.limits?.capture
              })

              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface DigestRecordUrlFieldEvent {
    field: '$.url'
    value: string
  }

  export interface DigestRecordFetchedAtMsFieldEvent {
    field: '$.fetchedAtMs'
    value: number
  }

  export interface DigestRecordCaptureFileFieldEvent {
    field: '$.capture.file'
    value: string
  }

  export interface DigestRecordCaptureOffsetFieldEvent {
    field: '$.capture.offset'
    value: number
  }

  export interface DigestRecordCaptureLengthFieldEvent {
    field: '$.capture.length'
    value: number
  }

  export function encode (obj: Partial<DigestRecord>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, DigestRecord.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<DigestRecord>): DigestRecord {
    return decodeMessage(buf, DigestRecord.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<DigestRecord>): Generator<DigestRecordUrlFieldEvent | DigestRecordFetchedAtMsFieldEvent | DigestRecordCaptureFileFieldEvent | DigestRecordCaptureOffsetFieldEvent | DigestRecordCaptureLengthFieldEvent> {
    return streamMessage(buf, DigestRecord.codec(), opts)
  }
}

export interface ArchiveMarkRecord {
  file: string
  bytes: number
  atMs?: number
}

export namespace ArchiveMarkRecord {
  let _codec: Codec<ArchiveMarkRecord>

  export const codec = (): Codec<ArchiveMarkRecord> => {
    if (_codec == null) {
      _codec = message<ArchiveMarkRecord>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.file != null && obj.file !== '')) {
          w.uint32(10)
          w.string(obj.file)
        }

        if ((obj.bytes != null && obj.bytes !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.bytes)
        }

        if (obj.atMs != null) {
          w.uint32(24)
          w.uint64Number(obj.atMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          file: '',
          bytes: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.file = reader.string()
              break
            }
            case 2: {
              obj.bytes = reader.uint64Number()
              break
            }
            case 3: {
              obj.atMs = reader.uint64Number()
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }

        return obj
      }, function * (reader, length, prefix, opts = {}) {
        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.file`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.bytes`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.atMs`,
                value: reader.uint64Number()
              }
              break
            }
            default: {
              reader.skipType(tag & 7)
              break
            }
          }
        }
      })
    }

    return _codec
  }

  export interface ArchiveMarkRecordFileFieldEvent {
    field: '$.file'
    value: string
  }

  export interface ArchiveMarkRecordBytesFieldEvent {
    field: '$.bytes'
    value: number
  }

  export interface ArchiveMarkRecordAtMsFieldEvent {
    field: '$.atMs'
    value: number
  }

  export function encode (obj: Partial<ArchiveMarkRecord>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, ArchiveMarkRecord.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ArchiveMarkRecord>): ArchiveMarkRecord {
    return decodeMessage(buf, ArchiveMarkRecord.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ArchiveMarkRecord>): Generator<ArchiveMarkRecordFileFieldEvent | ArchiveMarkRecordBytesFieldEvent | ArchiveMarkRecordAtMsFieldEvent> {
    return streamMessage(buf, ArchiveMarkRecord.codec(), opts)
  }
}
