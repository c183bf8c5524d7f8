// @ts-nocheck -- generated from the .proto file by `npm run generate`
import { decodeMessage } from '../protobuf/decode-message.ts'; import { encodeMessage } from '../protobuf/encode-message.ts'; import { MaxLengthError, message, streamMessage } from 'protons-runtime'
import { alloc as uint8ArrayAlloc } from 'uint8arrays/alloc'
import type { Codec, DecodeOptions } from 'protons-runtime'
import type { Uint8ArrayList } from 'uint8arraylist'

export interface Forward {
  jobs: string[]
  vias: string[]
  urls: ForwardUrl[]
}

export namespace Forward {
  let _codec: Codec<Forward>

  export const codec = (): Codec<Forward> => {
    if (_codec == null) {
      _codec = message<Forward>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.jobs != null && obj.jobs.length > 0) {
          for (const value of obj.jobs) {
            w.uint32(10)
            w.string(value)
          }
        }

        if (obj.vias != null && obj.vias.length > 0) {
          for (const value of obj.vias) {
            w.uint32(18)
            w.string(value)
          }
        }

        if (obj.urls != null && obj.urls.length > 0) {
          for (const value of obj.urls) {
            w.uint32(26)
            ForwardUrl.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          jobs: [],
          vias: [],
          urls: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.jobs != null && obj.jobs.length === opts.limits.jobs) {
                throw new MaxLengthError('Decode error - repeated field "jobs" had too many elements')
              }

              obj.jobs.push(reader.string())
              break
            }
            case 2: {
              if (opts.limits?.vias != null && obj.vias.length === opts.limits.vias) {
                throw new MaxLengthError('Decode error - repeated field "vias" had too many elements')
              }

              obj.vias.push(reader.string())
              break
            }
            case 3: {
              if (opts.limits?.urls != null && obj.urls.length === opts.limits.urls) {
                throw new MaxLengthError('Decode error - repeated field "urls" had too many elements')
              }

              obj.urls.push(ForwardUrl.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.urls$
              }))
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
          jobs: 0,
          vias: 0,
          urls: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.jobs != null && obj.jobs === opts.limits.jobs) {
                throw new MaxLengthError('Streaming decode error - repeated field "jobs" had too many elements')
              }

              yield {
                field: `${prefix}.jobs[]`,
                index: obj.jobs,
                value: reader.string()
              }

              obj.jobs++

              break
            }
            case 2: {
              if (opts.limits?.vias != null && obj.vias === opts.limits.vias) {
                throw new MaxLengthError('Streaming decode error - repeated field "vias" had too many elements')
              }

              yield {
                field: `${prefix}.vias[]`,
                index: obj.vias,
                value: reader.string()
              }

              obj.vias++

              break
            }
            case 3: {
              if (opts.limits?.urls != null && obj.urls === opts.limits.urls) {
                throw new MaxLengthError('Streaming decode error - repeated field "urls" had too many elements')
              }

              for (const evt of ForwardUrl.codec().stream(reader, reader.uint32(), `${prefix}.urls[]`, {
                limits: opts.limits?.urls$
              })) {
                yield {
                  ...evt,
                  index: obj.urls
                }
              }

              obj.urls++

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

  export interface ForwardJobsFieldEvent {
    field: '$.jobs[]'
    index: number
    value: string
  }

  export interface ForwardViasFieldEvent {
    field: '$.vias[]'
    index: number
    value: string
  }

  export interface ForwardUrlsJobFieldEvent {
    field: '$.urls[].job'
    value: number
    index: number
  }

  export interface ForwardUrlsSharedFieldEvent {
    field: '$.urls[].shared'
    value: number
    index: number
  }

  export interface ForwardUrlsRestFieldEvent {
    field: '$.urls[].rest'
    value: string
    index: number
  }

  export interface ForwardUrlsDepthFieldEvent {
    field: '$.urls[].depth'
    value: number
    index: number
  }

  export interface ForwardUrlsViaFieldEvent {
    field: '$.urls[].via'
    value: number
    index: number
  }

  export interface ForwardUrlsRedirectChainFieldEvent {
    field: '$.urls[].redirectChain[]'
    index: number
    value: string
  }

  export interface ForwardUrlsExcludedFieldEvent {
    field: '$.urls[].excluded'
    value: string
    index: number
  }

  export function encode (obj: Partial<Forward>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Forward.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Forward>): Forward {
    return decodeMessage(buf, Forward.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Forward>): Generator<ForwardJobsFieldEvent | ForwardViasFieldEvent | ForwardUrlsJobFieldEvent | ForwardUrlsSharedFieldEvent | ForwardUrlsRestFieldEvent | ForwardUrlsDepthFieldEvent | ForwardUrlsViaFieldEvent | ForwardUrlsRedirectChainFieldEvent | ForwardUrlsExcludedFieldEvent> {
    return streamMessage(buf, Forward.codec(), opts)
  }
}

export interface ForwardUrl {
  job: number
  shared: number
  rest: string
  depth: number
  via?: number
  redirectChain: string[]
  excluded?: string
}

export namespace ForwardUrl {
  let _codec: Codec<ForwardUrl>

  export const codec = (): Codec<ForwardUrl> => {
    if (_codec == null) {
      _codec = message<ForwardUrl>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.job != null && obj.job !== 0)) {
          w.uint32(8)
          w.uint32(obj.job)
        }

        if ((obj.shared != null && obj.shared !== 0)) {
          w.uint32(16)
          w.uint32(obj.shared)
        }

        if ((obj.rest != null && obj.rest !== '')) {
          w.uint32(26)
          w.string(obj.rest)
        }

        if ((obj.depth != null && obj.depth !== 0)) {
          w.uint32(32)
          w.uint32(obj.depth)
        }

        if (obj.via != null) {
          w.uint32(40)
          w.uint32(obj.via)
        }

        if (obj.redirectChain != null && obj.redirectChain.length > 0) {
          for (const value of obj.redirectChain) {
            w.uint32(50)
            w.string(value)
          }
        }

        if (obj.excluded != null) {
          w.uint32(58)
          w.string(obj.excluded)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          job: 0,
          shared: 0,
          rest: '',
          depth: 0,
          redirectChain: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.job = reader.uint32()
              break
            }
            case 2: {
              obj.shared = reader.uint32()
              break
            }
            case 3: {
              obj.rest = reader.string()
              break
            }
            case 4: {
              obj.depth = reader.uint32()
              break
            }
            case 5: {
              obj.via = reader.uint32()
              break
            }
            case 6: {
              if (opts.limits?.redirectChain != null && obj.redirectChain.length === opts.limits.redirectChain) {
                throw new MaxLengthError('Decode error - repeated field "redirectChain" had too many elements')
              }

              obj.redirectChain.push(reader.string())
              break
            }
            case 7: {
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
                field: `${prefix}.job`,
                value: reader.uint32()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.shared`,
                value: reader.uint32()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.rest`,
                value: reader.string()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.depth`,
                value: reader.uint32()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.via`,
                value: reader.uint32()
              }
              break
            }
            case 6: {
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
            case 7: {
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

  export interface ForwardUrlJobFieldEvent {
    field: '$.job'
    value: number
  }

  export interface ForwardUrlSharedFieldEvent {
    field: '$.shared'
    value: number
  }

  export interface ForwardUrlRestFieldEvent {
    field: '$.rest'
    value: string
  }

  export interface ForwardUrlDepthFieldEvent {
    field: '$.depth'
    value: number
  }

  export interface ForwardUrlViaFieldEvent {
    field: '$.via'
    value: number
  }

  export interface ForwardUrlRedirectChainFieldEvent {
    field: '$.redirectChain[]'
    index: number
    value: string
  }

  export interface ForwardUrlExcludedFieldEvent {
    field: '$.excluded'
    value: string
  }

  export function encode (obj: Partial<ForwardUrl>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, ForwardUrl.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ForwardUrl>): ForwardUrl {
    return decodeMessage(buf, ForwardUrl.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ForwardUrl>): Generator<ForwardUrlJobFieldEvent | ForwardUrlSharedFieldEvent | ForwardUrlRestFieldEvent | ForwardUrlDepthFieldEvent | ForwardUrlViaFieldEvent | ForwardUrlRedirectChainFieldEvent | ForwardUrlExcludedFieldEvent> {
    return streamMessage(buf, ForwardUrl.codec(), opts)
  }
}

export interface ForwardReply {
  results: number[]
  holders: MemberRun[]
}

export namespace ForwardReply {
  let _codec: Codec<ForwardReply>

  export const codec = (): Codec<ForwardReply> => {
    if (_codec == null) {
      _codec = message<ForwardReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.results != null && obj.results.length > 0) {
          for (const value of obj.results) {
            w.uint32(8)
            w.uint32(value)
          }
        }

        if (obj.holders != null && obj.holders.length > 0) {
          for (const value of obj.holders) {
            w.uint32(18)
            MemberRun.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          results: [],
          holders: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.results != null && obj.results.length === opts.limits.results) {
                throw new MaxLengthError('Decode error - repeated field "results" had too many elements')
              }

              obj.results.push(reader.uint32())
              break
            }
            case 2: {
              if (opts.limits?.holders != null && obj.holders.length === opts.limits.holders) {
                throw new MaxLengthError('Decode error - repeated field "holders" had too many elements')
              }

              obj.holders.push(MemberRun.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.holders$
              }))
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
          results: 0,
          holders: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.results != null && obj.results === opts.limits.results) {
                throw new MaxLengthError('Streaming decode error - repeated field "results" had too many elements')
              }

              yield {
                field: `${prefix}.results[]`,
                index: obj.results,
                value: reader.uint32()
              }

              obj.results++

              break
            }
            case 2: {
              if (opts.limits?.holders != null && obj.holders === opts.limits.holders) {
                throw new MaxLengthError('Streaming decode error - repeated field "holders" had too many elements')
              }

              for (const evt of MemberRun.codec().stream(reader, reader.uint32(), `${prefix}.holders[]`, {
                limits: opts.limits?.holders$
              })) {
                yield {
                  ...evt,
                  index: obj.holders
                }
              }

              obj.holders++

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

  export interface ForwardReplyResultsFieldEvent {
    field: '$.results[]'
    index: number
    value: number
  }

  export interface ForwardReplyHoldersMemberFieldEvent {
    field: '$.holders[].member'
    value: string
    index: number
  }

  export interface ForwardReplyHoldersGenerationFieldEvent {
    field: '$.holders[].generation'
    value: number
    index: number
  }

  export function encode (obj: Partial<ForwardReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, ForwardReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ForwardReply>): ForwardReply {
    return decodeMessage(buf, ForwardReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ForwardReply>): Generator<ForwardReplyResultsFieldEvent | ForwardReplyHoldersMemberFieldEvent | ForwardReplyHoldersGenerationFieldEvent> {
    return streamMessage(buf, ForwardReply.codec(), opts)
  }
}

export interface MemberRun {
  member: string
  generation: number
}

export namespace MemberRun {
  let _codec: Codec<MemberRun>

  export const codec = (): Codec<MemberRun> => {
    if (_codec == null) {
      _codec = message<MemberRun>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.member != null && obj.member !== '')) {
          w.uint32(10)
          w.string(obj.member)
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.generation)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          member: '',
          generation: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.member = reader.string()
              break
            }
            case 2: {
              obj.generation = reader.uint64Number()
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
                field: `${prefix}.member`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.generation`,
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

  export interface MemberRunMemberFieldEvent {
    field: '$.member'
    value: string
  }

  export interface MemberRunGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export function encode (obj: Partial<MemberRun>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, MemberRun.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<MemberRun>): MemberRun {
    return decodeMessage(buf, MemberRun.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<MemberRun>): Generator<MemberRunMemberFieldEvent | MemberRunGenerationFieldEvent> {
    return streamMessage(buf, MemberRun.codec(), opts)
  }
}

export interface Rows {
  generation: number
  nowMs: number
  rows: Uint8Array
}

export namespace Rows {
  let _codec: Codec<Rows>

  export const codec = (): Codec<Rows> => {
    if (_codec == null) {
      _codec = message<Rows>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(8)
          w.uint64Number(obj.generation)
        }

        if ((obj.nowMs != null && obj.nowMs !== 0)) {
          w.uint32(17)
          w.double(obj.nowMs)
        }

        if ((obj.rows != null && obj.rows.byteLength > 0)) {
          w.uint32(34)
          w.bytes(obj.rows)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          generation: 0,
          nowMs: 0,
          rows: uint8ArrayAlloc(0)
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.generation = reader.uint64Number()
              break
            }
            case 2: {
              obj.nowMs = reader.double()
              break
            }
            case 4: {
              obj.rows = reader.bytes()
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
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.nowMs`,
                value: reader.double()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.rows`,
                value: reader.bytes()
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

  export interface RowsGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface RowsNowMsFieldEvent {
    field: '$.nowMs'
    value: number
  }

  export interface RowsRowsFieldEvent {
    field: '$.rows'
    value: Uint8Array<ArrayBuffer>
  }

  export function encode (obj: Partial<Rows>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Rows.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Rows>): Rows {
    return decodeMessage(buf, Rows.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Rows>): Generator<RowsGenerationFieldEvent | RowsNowMsFieldEvent | RowsRowsFieldEvent> {
    return streamMessage(buf, Rows.codec(), opts)
  }
}

export interface RangeDigests {
  arcs: Uint8Array
  tag: number
  after: Uint8Array
  buckets: RangeBucket[]
}

export namespace RangeDigests {
  let _codec: Codec<RangeDigests>

  export const codec = (): Codec<RangeDigests> => {
    if (_codec == null) {
      _codec = message<RangeDigests>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.arcs != null && obj.arcs.byteLength > 0)) {
          w.uint32(10)
          w.bytes(obj.arcs)
        }

        if ((obj.tag != null && obj.tag !== 0)) {
          w.uint32(16)
          w.uint32(obj.tag)
        }

        if ((obj.after != null && obj.after.byteLength > 0)) {
          w.uint32(26)
          w.bytes(obj.after)
        }

        if (obj.buckets != null && obj.buckets.length > 0) {
          for (const value of obj.buckets) {
            w.uint32(34)
            RangeBucket.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          arcs: uint8ArrayAlloc(0),
          tag: 0,
          after: uint8ArrayAlloc(0),
          buckets: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.arcs = reader.bytes()
              break
            }
            case 2: {
              obj.tag = reader.uint32()
              break
            }
            case 3: {
              obj.after = reader.bytes()
              break
            }
            case 4: {
              if (opts.limits?.buckets != null && obj.buckets.length === opts.limits.buckets) {
                throw new MaxLengthError('Decode error - repeated field "buckets" had too many elements')
              }

              obj.buckets.push(RangeBucket.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.buckets$
              }))
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
          buckets: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.arcs`,
                value: reader.bytes()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.tag`,
                value: reader.uint32()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.after`,
                value: reader.bytes()
              }
              break
            }
            case 4: {
              if (opts.limits?.buckets != null && obj.buckets === opts.limits.buckets) {
                throw new MaxLengthError('Streaming decode error - repeated field "buckets" had too many elements')
              }

              for (const evt of RangeBucket.codec().stream(reader, reader.uint32(), `${prefix}.buckets[]`, {
                limits: opts.limits?.buckets$
              })) {
                yield {
                  ...evt,
                  index: obj.buckets
                }
              }

              obj.buckets++

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

  export interface RangeDigestsArcsFieldEvent {
    field: '$.arcs'
    value: Uint8Array<ArrayBuffer>
  }

  export interface RangeDigestsTagFieldEvent {
    field: '$.tag'
    value: number
  }

  export interface RangeDigestsAfterFieldEvent {
    field: '$.after'
    value: Uint8Array<ArrayBuffer>
  }

  export interface RangeDigestsBucketsLastKeyFieldEvent {
    field: '$.buckets[].lastKey'
    value: Uint8Array<ArrayBuffer>
    index: number
  }

  export interface RangeDigestsBucketsCountFieldEvent {
    field: '$.buckets[].count'
    value: number
    index: number
  }

  export interface RangeDigestsBucketsHashFieldEvent {
    field: '$.buckets[].hash'
    value: bigint
    index: number
  }

  export function encode (obj: Partial<RangeDigests>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, RangeDigests.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeDigests>): RangeDigests {
    return decodeMessage(buf, RangeDigests.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeDigests>): Generator<RangeDigestsArcsFieldEvent | RangeDigestsTagFieldEvent | RangeDigestsAfterFieldEvent | RangeDigestsBucketsLastKeyFieldEvent | RangeDigestsBucketsCountFieldEvent | RangeDigestsBucketsHashFieldEvent> {
    return streamMessage(buf, RangeDigests.codec(), opts)
  }
}

export interface RangeBucket {
  lastKey: Uint8Array
  count: number
  hash: bigint
}

export namespace RangeBucket {
  let _codec: Codec<RangeBucket>

  export const codec = (): Codec<RangeBucket> => {
    if (_codec == null) {
      _codec = message<RangeBucket>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.lastKey != null && obj.lastKey.byteLength > 0)) {
          w.uint32(10)
          w.bytes(obj.lastKey)
        }

        if ((obj.count != null && obj.count !== 0)) {
          w.uint32(16)
          w.uint32(obj.count)
        }

        if ((obj.hash != null && obj.hash !== 0n)) {
          w.uint32(33)
          w.fixed64(obj.hash)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          lastKey: uint8ArrayAlloc(0),
          count: 0,
          hash: 0n
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.lastKey = reader.bytes()
              break
            }
            case 2: {
              obj.count = reader.uint32()
              break
            }
            case 4: {
              obj.hash = reader.fixed64()
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
                field: `${prefix}.lastKey`,
                value: reader.bytes()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.count`,
                value: reader.uint32()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.hash`,
                value: reader.fixed64()
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

  export interface RangeBucketLastKeyFieldEvent {
    field: '$.lastKey'
    value: Uint8Array<ArrayBuffer>
  }

  export interface RangeBucketCountFieldEvent {
    field: '$.count'
    value: number
  }

  export interface RangeBucketHashFieldEvent {
    field: '$.hash'
    value: bigint
  }

  export function encode (obj: Partial<RangeBucket>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, RangeBucket.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeBucket>): RangeBucket {
    return decodeMessage(buf, RangeBucket.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeBucket>): Generator<RangeBucketLastKeyFieldEvent | RangeBucketCountFieldEvent | RangeBucketHashFieldEvent> {
    return streamMessage(buf, RangeBucket.codec(), opts)
  }
}

export interface RangeDigestsReply {
  differences: RangeDifference[]
}

export namespace RangeDigestsReply {
  let _codec: Codec<RangeDigestsReply>

  export const codec = (): Codec<RangeDigestsReply> => {
    if (_codec == null) {
      _codec = message<RangeDigestsReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.differences != null && obj.differences.length > 0) {
          for (const value of obj.differences) {
            w.uint32(10)
            RangeDifference.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          differences: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.differences != null && obj.differences.length === opts.limits.differences) {
                throw new MaxLengthError('Decode error - repeated field "differences" had too many elements')
              }

              obj.differences.push(RangeDifference.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.differences$
              }))
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
          differences: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.differences != null && obj.differences === opts.limits.differences) {
                throw new MaxLengthError('Streaming decode error - repeated field "differences" had too many elements')
              }

              for (const evt of RangeDifference.codec().stream(reader, reader.uint32(), `${prefix}.differences[]`, {
                limits: opts.limits?.differences$
              })) {
                yield {
                  ...evt,
                  index: obj.differences
                }
              }

              obj.differences++

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

  export interface RangeDigestsReplyDifferencesIndexFieldEvent {
    field: '$.differences[].index'
    value: number
    index: number
  }

  export interface RangeDigestsReplyDifferencesCountFieldEvent {
    field: '$.differences[].count'
    value: number
    index: number
  }

  export function encode (obj: Partial<RangeDigestsReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, RangeDigestsReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeDigestsReply>): RangeDigestsReply {
    return decodeMessage(buf, RangeDigestsReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeDigestsReply>): Generator<RangeDigestsReplyDifferencesIndexFieldEvent | RangeDigestsReplyDifferencesCountFieldEvent> {
    return streamMessage(buf, RangeDigestsReply.codec(), opts)
  }
}

export interface RangeDifference {
  index: number
  count: number
}

export namespace RangeDifference {
  let _codec: Codec<RangeDifference>

  export const codec = (): Codec<RangeDifference> => {
    if (_codec == null) {
      _codec = message<RangeDifference>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.index != null && obj.index !== 0)) {
          w.uint32(8)
          w.uint32(obj.index)
        }

        if ((obj.count != null && obj.count !== 0)) {
          w.uint32(16)
          w.uint32(obj.count)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          index: 0,
          count: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.index = reader.uint32()
              break
            }
            case 2: {
              obj.count = reader.uint32()
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
                field: `${prefix}.index`,
                value: reader.uint32()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.count`,
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

  export interface RangeDifferenceIndexFieldEvent {
    field: '$.index'
    value: number
  }

  export interface RangeDifferenceCountFieldEvent {
    field: '$.count'
    value: number
  }

  export function encode (obj: Partial<RangeDifference>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, RangeDifference.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeDifference>): RangeDifference {
    return decodeMessage(buf, RangeDifference.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RangeDifference>): Generator<RangeDifferenceIndexFieldEvent | RangeDifferenceCountFieldEvent> {
    return streamMessage(buf, RangeDifference.codec(), opts)
  }
}

export interface PullRows {
  arcs: Uint8Array
  tag: number
  after: Uint8Array
  last: Uint8Array
  limit: number
  known: Uint8Array
}

export namespace PullRows {
  let _codec: Codec<PullRows>

  export const codec = (): Codec<PullRows> => {
    if (_codec == null) {
      _codec = message<PullRows>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.arcs != null && obj.arcs.byteLength > 0)) {
          w.uint32(10)
          w.bytes(obj.arcs)
        }

        if ((obj.tag != null && obj.tag !== 0)) {
          w.uint32(16)
          w.uint32(obj.tag)
        }

        if ((obj.after != null && obj.after.byteLength > 0)) {
          w.uint32(26)
          w.bytes(obj.after)
        }

        if ((obj.last != null && obj.last.byteLength > 0)) {
          w.uint32(34)
          w.bytes(obj.last)
        }

        if ((obj.limit != null && obj.limit !== 0)) {
          w.uint32(40)
          w.uint32(obj.limit)
        }

        if ((obj.known != null && obj.known.byteLength > 0)) {
          w.uint32(50)
          w.bytes(obj.known)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          arcs: uint8ArrayAlloc(0),
          tag: 0,
          after: uint8ArrayAlloc(0),
          last: uint8ArrayAlloc(0),
          limit: 0,
          known: uint8ArrayAlloc(0)
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.arcs = reader.bytes()
              break
            }
            case 2: {
              obj.tag = reader.uint32()
              break
            }
            case 3: {
              obj.after = reader.bytes()
              break
            }
            case 4: {
              obj.last = reader.bytes()
              break
            }
            case 5: {
              obj.limit = reader.uint32()
              break
            }
            case 6: {
              obj.known = reader.bytes()
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
                field: `${prefix}.arcs`,
                value: reader.bytes()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.tag`,
                value: reader.uint32()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.after`,
                value: reader.bytes()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.last`,
                value: reader.bytes()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.limit`,
                value: reader.uint32()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.known`,
                value: reader.bytes()
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

  export interface PullRowsArcsFieldEvent {
    field: '$.arcs'
    value: Uint8Array<ArrayBuffer>
  }

  export interface PullRowsTagFieldEvent {
    field: '$.tag'
    value: number
  }

  export interface PullRowsAfterFieldEvent {
    field: '$.after'
    value: Uint8Array<ArrayBuffer>
  }

  export interface PullRowsLastFieldEvent {
    field: '$.last'
    value: Uint8Array<ArrayBuffer>
  }

  export interface PullRowsLimitFieldEvent {
    field: '$.limit'
    value: number
  }

  export interface PullRowsKnownFieldEvent {
    field: '$.known'
    value: Uint8Array<ArrayBuffer>
  }

  export function encode (obj: Partial<PullRows>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, PullRows.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PullRows>): PullRows {
    return decodeMessage(buf, PullRows.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PullRows>): Generator<PullRowsArcsFieldEvent | PullRowsTagFieldEvent | PullRowsAfterFieldEvent | PullRowsLastFieldEvent | PullRowsLimitFieldEvent | PullRowsKnownFieldEvent> {
    return streamMessage(buf, PullRows.codec(), opts)
  }
}

export interface PullRowsReply {
  nowMs: number
  more: boolean
  found: Uint8Array
  rows: Uint8Array
}

export namespace PullRowsReply {
  let _codec: Codec<PullRowsReply>

  export const codec = (): Codec<PullRowsReply> => {
    if (_codec == null) {
      _codec = message<PullRowsReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.nowMs != null && obj.nowMs !== 0)) {
          w.uint32(9)
          w.double(obj.nowMs)
        }

        if ((obj.more != null && obj.more !== false)) {
          w.uint32(24)
          w.bool(obj.more)
        }

        if ((obj.found != null && obj.found.byteLength > 0)) {
          w.uint32(34)
          w.bytes(obj.found)
        }

        if ((obj.rows != null && obj.rows.byteLength > 0)) {
          w.uint32(42)
          w.bytes(obj.rows)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          nowMs: 0,
          more: false,
          found: uint8ArrayAlloc(0),
          rows: uint8ArrayAlloc(0)
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.nowMs = reader.double()
              break
            }
            case 3: {
              obj.more = reader.bool()
              break
            }
            case 4: {
              obj.found = reader.bytes()
              break
            }
            case 5: {
              obj.rows = reader.bytes()
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
                field: `${prefix}.nowMs`,
                value: reader.double()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.more`,
                value: reader.bool()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.found`,
                value: reader.bytes()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.rows`,
                value: reader.bytes()
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

  export interface PullRowsReplyNowMsFieldEvent {
    field: '$.nowMs'
    value: number
  }

  export interface PullRowsReplyMoreFieldEvent {
    field: '$.more'
    value: boolean
  }

  export interface PullRowsReplyFoundFieldEvent {
    field: '$.found'
    value: Uint8Array<ArrayBuffer>
  }

  export interface PullRowsReplyRowsFieldEvent {
    field: '$.rows'
    value: Uint8Array<ArrayBuffer>
  }

  export function encode (obj: Partial<PullRowsReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, PullRowsReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PullRowsReply>): PullRowsReply {
    return decodeMessage(buf, PullRowsReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PullRowsReply>): Generator<PullRowsReplyNowMsFieldEvent | PullRowsReplyMoreFieldEvent | PullRowsReplyFoundFieldEvent | PullRowsReplyRowsFieldEvent> {
    return streamMessage(buf, PullRowsReply.codec(), opts)
  }
}

export interface ArcNotice {
  generation: number
  arcs: Uint8Array
  doubtAgeMs?: number
}

export namespace ArcNotice {
  let _codec: Codec<ArcNotice>

  export const codec = (): Codec<ArcNotice> => {
    if (_codec == null) {
      _codec = message<ArcNotice>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(8)
          w.uint64Number(obj.generation)
        }

        if ((obj.arcs != null && obj.arcs.byteLength > 0)) {
          w.uint32(18)
          w.bytes(obj.arcs)
        }

        if (obj.doubtAgeMs != null) {
          w.uint32(24)
          w.uint64Number(obj.doubtAgeMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          generation: 0,
          arcs: uint8ArrayAlloc(0)
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.generation = reader.uint64Number()
              break
            }
            case 2: {
              obj.arcs = reader.bytes()
              break
            }
            case 3: {
              obj.doubtAgeMs = reader.uint64Number()
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
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.arcs`,
                value: reader.bytes()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.doubtAgeMs`,
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

  export interface ArcNoticeGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface ArcNoticeArcsFieldEvent {
    field: '$.arcs'
    value: Uint8Array<ArrayBuffer>
  }

  export interface ArcNoticeDoubtAgeMsFieldEvent {
    field: '$.doubtAgeMs'
    value: number
  }

  export function encode (obj: Partial<ArcNotice>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, ArcNotice.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ArcNotice>): ArcNotice {
    return decodeMessage(buf, ArcNotice.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ArcNotice>): Generator<ArcNoticeGenerationFieldEvent | ArcNoticeArcsFieldEvent | ArcNoticeDoubtAgeMsFieldEvent> {
    return streamMessage(buf, ArcNotice.codec(), opts)
  }
}

export interface Answer {
  accepted: boolean
}

export namespace Answer {
  let _codec: Codec<Answer>

  export const codec = (): Codec<Answer> => {
    if (_codec == null) {
      _codec = message<Answer>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.accepted != null && obj.accepted !== false)) {
          w.uint32(8)
          w.bool(obj.accepted)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          accepted: false
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.accepted = reader.bool()
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
                field: `${prefix}.accepted`,
                value: reader.bool()
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

  export interface AnswerAcceptedFieldEvent {
    field: '$.accepted'
    value: boolean
  }

  export function encode (obj: Partial<Answer>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Answer.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Answer>): Answer {
    return decodeMessage(buf, Answer.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Answer>): Generator<AnswerAcceptedFieldEvent> {
    return streamMessage(buf, Answer.codec(), opts)
  }
}

export interface WhoHoldsReply {
  generation: number
  held: Uint8Array
  copied: Uint8Array
  known: KnownHolder[]
  kept: Uint8Array
  former: Uint8Array
}

export namespace WhoHoldsReply {
  let _codec: Codec<WhoHoldsReply>

  export const codec = (): Codec<WhoHoldsReply> => {
    if (_codec == null) {
      _codec = message<WhoHoldsReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(8)
          w.uint64Number(obj.generation)
        }

        if ((obj.held != null && obj.held.byteLength > 0)) {
          w.uint32(18)
          w.bytes(obj.held)
        }

        if ((obj.copied != null && obj.copied.byteLength > 0)) {
          w.uint32(26)
          w.bytes(obj.copied)
        }

        if (obj.known != null && obj.known.length > 0) {
          for (const value of obj.known) {
            w.uint32(34)
            KnownHolder.codec().encode(value, w)
          }
        }

        if ((obj.kept != null && obj.kept.byteLength > 0)) {
          w.uint32(42)
          w.bytes(obj.kept)
        }

        if ((obj.former != null && obj.former.byteLength > 0)) {
          w.uint32(50)
          w.bytes(obj.former)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          generation: 0,
          held: uint8ArrayAlloc(0),
          copied: uint8ArrayAlloc(0),
          known: [],
          kept: uint8ArrayAlloc(0),
          former: uint8ArrayAlloc(0)
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.generation = reader.uint64Number()
              break
            }
            case 2: {
              obj.held = reader.bytes()
              break
            }
            case 3: {
              obj.copied = reader.bytes()
              break
            }
            case 4: {
              if (opts.limits?.known != null && obj.known.length === opts.limits.known) {
                throw new MaxLengthError('Decode error - repeated field "known" had too many elements')
              }

              obj.known.push(KnownHolder.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.known$
              }))
              break
            }
            case 5: {
              obj.kept = reader.bytes()
              break
            }
            case 6: {
              obj.former = reader.bytes()
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
          known: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.held`,
                value: reader.bytes()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.copied`,
                value: reader.bytes()
              }
              break
            }
            case 4: {
              if (opts.limits?.known != null && obj.known === opts.limits.known) {
                throw new MaxLengthError('Streaming decode error - repeated field "known" had too many elements')
              }

              for (const evt of KnownHolder.codec().stream(reader, reader.uint32(), `${prefix}.known[]`, {
                limits: opts.limits?.known$
              })) {
                yield {
                  ...evt,
                  index: obj.known
                }
              }

              obj.known++

              break
            }
            case 5: {
              yield {
                field: `${prefix}.kept`,
                value: reader.bytes()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.former`,
                value: reader.bytes()
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

  export interface WhoHoldsReplyGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface WhoHoldsReplyHeldFieldEvent {
    field: '$.held'
    value: Uint8Array<ArrayBuffer>
  }

  export interface WhoHoldsReplyCopiedFieldEvent {
    field: '$.copied'
    value: Uint8Array<ArrayBuffer>
  }

  export interface WhoHoldsReplyKnownArcsFieldEvent {
    field: '$.known[].arcs'
    value: Uint8Array<ArrayBuffer>
    index: number
  }

  export interface WhoHoldsReplyKnownHolderMemberFieldEvent {
    field: '$.known[].holder.member'
    value: string
    index: number
  }

  export interface WhoHoldsReplyKnownHolderGenerationFieldEvent {
    field: '$.known[].holder.generation'
    value: number
    index: number
  }

  export interface WhoHoldsReplyKeptFieldEvent {
    field: '$.kept'
    value: Uint8Array<ArrayBuffer>
  }

  export interface WhoHoldsReplyFormerFieldEvent {
    field: '$.former'
    value: Uint8Array<ArrayBuffer>
  }

  export function encode (obj: Partial<WhoHoldsReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, WhoHoldsReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<WhoHoldsReply>): WhoHoldsReply {
    return decodeMessage(buf, WhoHoldsReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<WhoHoldsReply>): Generator<WhoHoldsReplyGenerationFieldEvent | WhoHoldsReplyHeldFieldEvent | WhoHoldsReplyCopiedFieldEvent | WhoHoldsReplyKnownArcsFieldEvent | WhoHoldsReplyKnownHolderMemberFieldEvent | WhoHoldsReplyKnownHolderGenerationFieldEvent | WhoHoldsReplyKeptFieldEvent | WhoHoldsReplyFormerFieldEvent> {
    return streamMessage(buf, WhoHoldsReply.codec(), opts)
  }
}

export interface KnownHolder {
  arcs: Uint8Array
  holder?: MemberRun
}

export namespace KnownHolder {
  let _codec: Codec<KnownHolder>

  export const codec = (): Codec<KnownHolder> => {
    if (_codec == null) {
      _codec = message<KnownHolder>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.arcs != null && obj.arcs.byteLength > 0)) {
          w.uint32(10)
          w.bytes(obj.arcs)
        }

        if (obj.holder != null) {
          w.uint32(18)
          MemberRun.codec().encode(obj.holder, w)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          arcs: uint8ArrayAlloc(0)
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.arcs = reader.bytes()
              break
            }
            case 2: {
              obj.holder = MemberRun.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.holder
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
                field: `${prefix}.arcs`,
                value: reader.bytes()
              }
              break
            }
            case 2: {
              yield * MemberRun.codec().stream(reader, reader.uint32(), `${prefix}.holder`, {
                limits: opts.limits?.holder
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

  export interface KnownHolderArcsFieldEvent {
    field: '$.arcs'
    value: Uint8Array<ArrayBuffer>
  }

  export interface KnownHolderHolderMemberFieldEvent {
    field: '$.holder.member'
    value: string
  }

  export interface KnownHolderHolderGenerationFieldEvent {
    field: '$.holder.generation'
    value: number
  }

  export function encode (obj: Partial<KnownHolder>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, KnownHolder.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<KnownHolder>): KnownHolder {
    return decodeMessage(buf, KnownHolder.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<KnownHolder>): Generator<KnownHolderArcsFieldEvent | KnownHolderHolderMemberFieldEvent | KnownHolderHolderGenerationFieldEvent> {
    return streamMessage(buf, KnownHolder.codec(), opts)
  }
}

export interface Activity {
  job: string
}

export namespace Activity {
  let _codec: Codec<Activity>

  export const codec = (): Codec<Activity> => {
    if (_codec == null) {
      _codec = message<Activity>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.job != null && obj.job !== '')) {
          w.uint32(10)
          w.string(obj.job)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          job: ''
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.job = reader.string()
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
                field: `${prefix}.job`,
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

  export interface ActivityJobFieldEvent {
    field: '$.job'
    value: string
  }

  export function encode (obj: Partial<Activity>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Activity.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Activity>): Activity {
    return decodeMessage(buf, Activity.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Activity>): Generator<ActivityJobFieldEvent> {
    return streamMessage(buf, Activity.codec(), opts)
  }
}

export interface ActivityReply {
  busy?: string
  activity: number
  generation: number
  members?: bigint
  returning: boolean
}

export namespace ActivityReply {
  let _codec: Codec<ActivityReply>

  export const codec = (): Codec<ActivityReply> => {
    if (_codec == null) {
      _codec = message<ActivityReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.busy != null) {
          w.uint32(10)
          w.string(obj.busy)
        }

        if ((obj.activity != null && obj.activity !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.activity)
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(24)
          w.uint64Number(obj.generation)
        }

        if (obj.members != null) {
          w.uint32(41)
          w.fixed64(obj.members)
        }

        if ((obj.returning != null && obj.returning !== false)) {
          w.uint32(48)
          w.bool(obj.returning)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          activity: 0,
          generation: 0,
          returning: false
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.busy = reader.string()
              break
            }
            case 2: {
              obj.activity = reader.uint64Number()
              break
            }
            case 3: {
              obj.generation = reader.uint64Number()
              break
            }
            case 5: {
              obj.members = reader.fixed64()
              break
            }
            case 6: {
              obj.returning = reader.bool()
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
                field: `${prefix}.busy`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.activity`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.members`,
                value: reader.fixed64()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.returning`,
                value: reader.bool()
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

  export interface ActivityReplyBusyFieldEvent {
    field: '$.busy'
    value: string
  }

  export interface ActivityReplyActivityFieldEvent {
    field: '$.activity'
    value: number
  }

  export interface ActivityReplyGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface ActivityReplyMembersFieldEvent {
    field: '$.members'
    value: bigint
  }

  export interface ActivityReplyReturningFieldEvent {
    field: '$.returning'
    value: boolean
  }

  export function encode (obj: Partial<ActivityReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, ActivityReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ActivityReply>): ActivityReply {
    return decodeMessage(buf, ActivityReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<ActivityReply>): Generator<ActivityReplyBusyFieldEvent | ActivityReplyActivityFieldEvent | ActivityReplyGenerationFieldEvent | ActivityReplyMembersFieldEvent | ActivityReplyReturningFieldEvent> {
    return streamMessage(buf, ActivityReply.codec(), opts)
  }
}

export interface Jobs {
  definitions: string[]
  pageCounts: PageCount[]
  pastPageCounts: PastPageCount[]
  digest?: bigint
}

export namespace Jobs {
  let _codec: Codec<Jobs>

  export const codec = (): Codec<Jobs> => {
    if (_codec == null) {
      _codec = message<Jobs>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.definitions != null && obj.definitions.length > 0) {
          for (const value of obj.definitions) {
            w.uint32(10)
            w.string(value)
          }
        }

        if (obj.pageCounts != null && obj.pageCounts.length > 0) {
          for (const value of obj.pageCounts) {
            w.uint32(18)
            PageCount.codec().encode(value, w)
          }
        }

        if (obj.pastPageCounts != null && obj.pastPageCounts.length > 0) {
          for (const value of obj.pastPageCounts) {
            w.uint32(26)
            PastPageCount.codec().encode(value, w)
          }
        }

        if (obj.digest != null) {
          w.uint32(33)
          w.fixed64(obj.digest)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          definitions: [],
          pageCounts: [],
          pastPageCounts: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.definitions != null && obj.definitions.length === opts.limits.definitions) {
                throw new MaxLengthError('Decode error - repeated field "definitions" had too many elements')
              }

              obj.definitions.push(reader.string())
              break
            }
            case 2: {
              if (opts.limits?.pageCounts != null && obj.pageCounts.length === opts.limits.pageCounts) {
                throw new MaxLengthError('Decode error - repeated field "pageCounts" had too many elements')
              }

              obj.pageCounts.push(PageCount.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.pageCounts$
              }))
              break
            }
            case 3: {
              if (opts.limits?.pastPageCounts != null && obj.pastPageCounts.length === opts.limits.pastPageCounts) {
                throw new MaxLengthError('Decode error - repeated field "pastPageCounts" had too many elements')
              }

              obj.pastPageCounts.push(PastPageCount.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.pastPageCounts$
              }))
              break
            }
            case 4: {
              obj.digest = reader.fixed64()
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
          definitions: 0,
          pageCounts: 0,
          pastPageCounts: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.definitions != null && obj.definitions === opts.limits.definitions) {
                throw new MaxLengthError('Streaming decode error - repeated field "definitions" had too many elements')
              }

              yield {
                field: `${prefix}.definitions[]`,
                index: obj.definitions,
                value: reader.string()
              }

              obj.definitions++

              break
            }
            case 2: {
              if (opts.limits?.pageCounts != null && obj.pageCounts === opts.limits.pageCounts) {
                throw new MaxLengthError('Streaming decode error - repeated field "pageCounts" had too many elements')
              }

              for (const evt of PageCount.codec().stream(reader, reader.uint32(), `${prefix}.pageCounts[]`, {
                limits: opts.limits?.pageCounts$
              })) {
                yield {
                  ...evt,
                  index: obj.pageCounts
                }
              }

              obj.pageCounts++

              break
            }
            case 3: {
              if (opts.limits?.pastPageCounts != null && obj.pastPageCounts === opts.limits.pastPageCounts) {
                throw new MaxLengthError('Streaming decode error - repeated field "pastPageCounts" had too many elements')
              }

              for (const evt of PastPageCount.codec().stream(reader, reader.uint32(), `${prefix}.pastPageCounts[]`, {
                limits: opts.limits?.pastPageCounts$
              })) {
                yield {
                  ...evt,
                  index: obj.pastPageCounts
                }
              }

              obj.pastPageCounts++

              break
            }
            case 4: {
              yield {
                field: `${prefix}.digest`,
                value: reader.fixed64()
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

  export interface JobsDefinitionsFieldEvent {
    field: '$.definitions[]'
    index: number
    value: string
  }

  export interface JobsPageCountsJobFieldEvent {
    field: '$.pageCounts[].job'
    value: string
    index: number
  }

  export interface JobsPageCountsPagesFieldEvent {
    field: '$.pageCounts[].pages'
    value: number
    index: number
  }

  export interface JobsPastPageCountsJobFieldEvent {
    field: '$.pastPageCounts[].job'
    value: string
    index: number
  }

  export interface JobsPastPageCountsMemberFieldEvent {
    field: '$.pastPageCounts[].member'
    value: string
    index: number
  }

  export interface JobsPastPageCountsPagesFieldEvent {
    field: '$.pastPageCounts[].pages'
    value: number
    index: number
  }

  export interface JobsDigestFieldEvent {
    field: '$.digest'
    value: bigint
  }

  export function encode (obj: Partial<Jobs>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Jobs.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Jobs>): Jobs {
    return decodeMessage(buf, Jobs.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Jobs>): Generator<JobsDefinitionsFieldEvent | JobsPageCountsJobFieldEvent | JobsPageCountsPagesFieldEvent | JobsPastPageCountsJobFieldEvent | JobsPastPageCountsMemberFieldEvent | JobsPastPageCountsPagesFieldEvent | JobsDigestFieldEvent> {
    return streamMessage(buf, Jobs.codec(), opts)
  }
}

export interface MemberRow {
  id: string
  addresses: string[]
  weight: number
  version: string
  generation: number
  incarnation: number
  role: string
  health: string
}

export namespace MemberRow {
  let _codec: Codec<MemberRow>

  export const codec = (): Codec<MemberRow> => {
    if (_codec == null) {
      _codec = message<MemberRow>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.id != null && obj.id !== '')) {
          w.uint32(10)
          w.string(obj.id)
        }

        if (obj.addresses != null && obj.addresses.length > 0) {
          for (const value of obj.addresses) {
            w.uint32(18)
            w.string(value)
          }
        }

        if ((obj.weight != null && obj.weight !== 0)) {
          w.uint32(25)
          w.double(obj.weight)
        }

        if ((obj.version != null && obj.version !== '')) {
          w.uint32(34)
          w.string(obj.version)
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(40)
          w.uint64Number(obj.generation)
        }

        if ((obj.incarnation != null && obj.incarnation !== 0)) {
          w.uint32(48)
          w.uint32(obj.incarnation)
        }

        if ((obj.role != null && obj.role !== '')) {
          w.uint32(58)
          w.string(obj.role)
        }

        if ((obj.health != null && obj.health !== '')) {
          w.uint32(66)
          w.string(obj.health)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          id: '',
          addresses: [],
          weight: 0,
          version: '',
          generation: 0,
          incarnation: 0,
          role: '',
          health: ''
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.id = reader.string()
              break
            }
            case 2: {
              if (opts.limits?.addresses != null && obj.addresses.length === opts.limits.addresses) {
                throw new MaxLengthError('Decode error - repeated field "addresses" had too many elements')
              }

              obj.addresses.push(reader.string())
              break
            }
            case 3: {
              obj.weight = reader.double()
              break
            }
            case 4: {
              obj.version = reader.string()
              break
            }
            case 5: {
              obj.generation = reader.uint64Number()
              break
            }
            case 6: {
              obj.incarnation = reader.uint32()
              break
            }
            case 7: {
              obj.role = reader.string()
              break
            }
            case 8: {
              obj.health = reader.string()
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
          addresses: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.id`,
                value: reader.string()
              }
              break
            }
            case 2: {
              if (opts.limits?.addresses != null && obj.addresses === opts.limits.addresses) {
                throw new MaxLengthError('Streaming decode error - repeated field "addresses" had too many elements')
              }

              yield {
                field: `${prefix}.addresses[]`,
                index: obj.addresses,
                value: reader.string()
              }

              obj.addresses++

              break
            }
            case 3: {
              yield {
                field: `${prefix}.weight`,
                value: reader.double()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.version`,
                value: reader.string()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 6: {
              yield {
                field: `${prefix}.incarnation`,
                value: reader.uint32()
              }
              break
            }
            case 7: {
              yield {
                field: `${prefix}.role`,
                value: reader.string()
              }
              break
            }
            case 8: {
              yield {
                field: `${prefix}.health`,
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

  export interface MemberRowIdFieldEvent {
    field: '$.id'
    value: string
  }

  export interface MemberRowAddressesFieldEvent {
    field: '$.addresses[]'
    index: number
    value: string
  }

  export interface MemberRowWeightFieldEvent {
    field: '$.weight'
    value: number
  }

  export interface MemberRowVersionFieldEvent {
    field: '$.version'
    value: string
  }

  export interface MemberRowGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface MemberRowIncarnationFieldEvent {
    field: '$.incarnation'
    value: number
  }

  export interface MemberRowRoleFieldEvent {
    field: '$.role'
    value: string
  }

  export interface MemberRowHealthFieldEvent {
    field: '$.health'
    value: string
  }

  export function encode (obj: Partial<MemberRow>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, MemberRow.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<MemberRow>): MemberRow {
    return decodeMessage(buf, MemberRow.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<MemberRow>): Generator<MemberRowIdFieldEvent | MemberRowAddressesFieldEvent | MemberRowWeightFieldEvent | MemberRowVersionFieldEvent | MemberRowGenerationFieldEvent | MemberRowIncarnationFieldEvent | MemberRowRoleFieldEvent | MemberRowHealthFieldEvent> {
    return streamMessage(buf, MemberRow.codec(), opts)
  }
}

export interface Notice {
  kind: number
  sequence: number
  target: string
  members: Uint8Array<ArrayBuffer>[]
  reply: boolean
  tableHash: bigint
  sentAtMs?: number
}

export namespace Notice {
  let _codec: Codec<Notice>

  export const codec = (): Codec<Notice> => {
    if (_codec == null) {
      _codec = message<Notice>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.kind != null && obj.kind !== 0)) {
          w.uint32(8)
          w.uint32(obj.kind)
        }

        if ((obj.sequence != null && obj.sequence !== 0)) {
          w.uint32(16)
          w.uint32(obj.sequence)
        }

        if ((obj.target != null && obj.target !== '')) {
          w.uint32(34)
          w.string(obj.target)
        }

        if (obj.members != null && obj.members.length > 0) {
          for (const value of obj.members) {
            w.uint32(42)
            w.bytes(value)
          }
        }

        if ((obj.reply != null && obj.reply !== false)) {
          w.uint32(48)
          w.bool(obj.reply)
        }

        if ((obj.tableHash != null && obj.tableHash !== 0n)) {
          w.uint32(57)
          w.fixed64(obj.tableHash)
        }

        if (obj.sentAtMs != null) {
          w.uint32(64)
          w.uint64Number(obj.sentAtMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          kind: 0,
          sequence: 0,
          target: '',
          members: [],
          reply: false,
          tableHash: 0n
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.kind = reader.uint32()
              break
            }
            case 2: {
              obj.sequence = reader.uint32()
              break
            }
            case 4: {
              obj.target = reader.string()
              break
            }
            case 5: {
              if (opts.limits?.members != null && obj.members.length === opts.limits.members) {
                throw new MaxLengthError('Decode error - repeated field "members" had too many elements')
              }

              obj.members.push(reader.bytes())
              break
            }
            case 6: {
              obj.reply = reader.bool()
              break
            }
            case 7: {
              obj.tableHash = reader.fixed64()
              break
            }
            case 8: {
              obj.sentAtMs = reader.uint64Number()
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
          members: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.kind`,
                value: reader.uint32()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.sequence`,
                value: reader.uint32()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.target`,
                value: reader.string()
              }
              break
            }
            case 5: {
              if (opts.limits?.members != null && obj.members === opts.limits.members) {
                throw new MaxLengthError('Streaming decode error - repeated field "members" had too many elements')
              }

              yield {
                field: `${prefix}.members[]`,
                index: obj.members,
                value: reader.bytes()
              }

              obj.members++

              break
            }
            case 6: {
              yield {
                field: `${prefix}.reply`,
                value: reader.bool()
              }
              break
            }
            case 7: {
              yield {
                field: `${prefix}.tableHash`,
                value: reader.fixed64()
              }
              break
            }
            case 8: {
              yield {
                field: `${prefix}.sentAtMs`,
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

  export interface NoticeKindFieldEvent {
    field: '$.kind'
    value: number
  }

  export interface NoticeSequenceFieldEvent {
    field: '$.sequence'
    value: number
  }

  export interface NoticeTargetFieldEvent {
    field: '$.target'
    value: string
  }

  export interface NoticeMembersFieldEvent {
    field: '$.members[]'
    index: number
    value: Uint8Array<ArrayBuffer>
  }

  export interface NoticeReplyFieldEvent {
    field: '$.reply'
    value: boolean
  }

  export interface NoticeTableHashFieldEvent {
    field: '$.tableHash'
    value: bigint
  }

  export interface NoticeSentAtMsFieldEvent {
    field: '$.sentAtMs'
    value: number
  }

  export function encode (obj: Partial<Notice>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Notice.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Notice>): Notice {
    return decodeMessage(buf, Notice.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Notice>): Generator<NoticeKindFieldEvent | NoticeSequenceFieldEvent | NoticeTargetFieldEvent | NoticeMembersFieldEvent | NoticeReplyFieldEvent | NoticeTableHashFieldEvent | NoticeSentAtMsFieldEvent> {
    return streamMessage(buf, Notice.codec(), opts)
  }
}

export interface Claim {
  members: Uint8Array<ArrayBuffer>[]
  jobDefinition?: string
  pageCounts: PageCount[]
  pastPageCounts: PastPageCount[]
}

export namespace Claim {
  let _codec: Codec<Claim>

  export const codec = (): Codec<Claim> => {
    if (_codec == null) {
      _codec = message<Claim>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.members != null && obj.members.length > 0) {
          for (const value of obj.members) {
            w.uint32(10)
            w.bytes(value)
          }
        }

        if (obj.jobDefinition != null) {
          w.uint32(18)
          w.string(obj.jobDefinition)
        }

        if (obj.pageCounts != null && obj.pageCounts.length > 0) {
          for (const value of obj.pageCounts) {
            w.uint32(26)
            PageCount.codec().encode(value, w)
          }
        }

        if (obj.pastPageCounts != null && obj.pastPageCounts.length > 0) {
          for (const value of obj.pastPageCounts) {
            w.uint32(34)
            PastPageCount.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          members: [],
          pageCounts: [],
          pastPageCounts: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.members != null && obj.members.length === opts.limits.members) {
                throw new MaxLengthError('Decode error - repeated field "members" had too many elements')
              }

              obj.members.push(reader.bytes())
              break
            }
            case 2: {
              obj.jobDefinition = reader.string()
              break
            }
            case 3: {
              if (opts.limits?.pageCounts != null && obj.pageCounts.length === opts.limits.pageCounts) {
                throw new MaxLengthError('Decode error - repeated field "pageCounts" had too many elements')
              }

              obj.pageCounts.push(PageCount.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.pageCounts$
              }))
              break
            }
            case 4: {
              if (opts.limits?.pastPageCounts != null && obj.pastPageCounts.length === opts.limits.pastPageCounts) {
                throw new MaxLengthError('Decode error - repeated field "pastPageCounts" had too many elements')
              }

              obj.pastPageCounts.push(PastPageCount.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.pastPageCounts$
              }))
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
          members: 0,
          pageCounts: 0,
          pastPageCounts: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.members != null && obj.members === opts.limits.members) {
                throw new MaxLengthError('Streaming decode error - repeated field "members" had too many elements')
              }

              yield {
                field: `${prefix}.members[]`,
                index: obj.members,
                value: reader.bytes()
              }

              obj.members++

              break
            }
            case 2: {
              yield {
                field: `${prefix}.jobDefinition`,
                value: reader.string()
              }
              break
            }
            case 3: {
              if (opts.limits?.pageCounts != null && obj.pageCounts === opts.limits.pageCounts) {
                throw new MaxLengthError('Streaming decode error - repeated field "pageCounts" had too many elements')
              }

              for (const evt of PageCount.codec().stream(reader, reader.uint32(), `${prefix}.pageCounts[]`, {
                limits: opts.limits?.pageCounts$
              })) {
                yield {
                  ...evt,
                  index: obj.pageCounts
                }
              }

              obj.pageCounts++

              break
            }
            case 4: {
              if (opts.limits?.pastPageCounts != null && obj.pastPageCounts === opts.limits.pastPageCounts) {
                throw new MaxLengthError('Streaming decode error - repeated field "pastPageCounts" had too many elements')
              }

              for (const evt of PastPageCount.codec().stream(reader, reader.uint32(), `${prefix}.pastPageCounts[]`, {
                limits: opts.limits?.pastPageCounts$
              })) {
                yield {
                  ...evt,
                  index: obj.pastPageCounts
                }
              }

              obj.pastPageCounts++

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

  export interface ClaimMembersFieldEvent {
    field: '$.members[]'
    index: number
    value: Uint8Array<ArrayBuffer>
  }

  export interface ClaimJobDefinitionFieldEvent {
    field: '$.jobDefinition'
    value: string
  }

  export interface ClaimPageCountsJobFieldEvent {
    field: '$.pageCounts[].job'
    value: string
    index: number
  }

  export interface ClaimPageCountsPagesFieldEvent {
    field: '$.pageCounts[].pages'
    value: number
    index: number
  }

  export interface ClaimPastPageCountsJobFieldEvent {
    field: '$.pastPageCounts[].job'
    value: string
    index: number
  }

  export interface ClaimPastPageCountsMemberFieldEvent {
    field: '$.pastPageCounts[].member'
    value: string
    index: number
  }

  export interface ClaimPastPageCountsPagesFieldEvent {
    field: '$.pastPageCounts[].pages'
    value: number
    index: number
  }

  export function encode (obj: Partial<Claim>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, Claim.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Claim>): Claim {
    return decodeMessage(buf, Claim.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Claim>): Generator<ClaimMembersFieldEvent | ClaimJobDefinitionFieldEvent | ClaimPageCountsJobFieldEvent | ClaimPageCountsPagesFieldEvent | ClaimPastPageCountsJobFieldEvent | ClaimPastPageCountsMemberFieldEvent | ClaimPastPageCountsPagesFieldEvent> {
    return streamMessage(buf, Claim.codec(), opts)
  }
}

export interface PageCount {
  job: string
  pages: number
}

export namespace PageCount {
  let _codec: Codec<PageCount>

  export const codec = (): Codec<PageCount> => {
    if (_codec == null) {
      _codec = message<PageCount>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.job != null && obj.job !== '')) {
          w.uint32(10)
          w.string(obj.job)
        }

        if ((obj.pages != null && obj.pages !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.pages)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          job: '',
          pages: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.job = reader.string()
              break
            }
            case 2: {
              obj.pages = reader.uint64Number()
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
                field: `${prefix}.job`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.pages`,
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

  export interface PageCountJobFieldEvent {
    field: '$.job'
    value: string
  }

  export interface PageCountPagesFieldEvent {
    field: '$.pages'
    value: number
  }

  export function encode (obj: Partial<PageCount>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, PageCount.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PageCount>): PageCount {
    return decodeMessage(buf, PageCount.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PageCount>): Generator<PageCountJobFieldEvent | PageCountPagesFieldEvent> {
    return streamMessage(buf, PageCount.codec(), opts)
  }
}

export interface PastPageCount {
  job: string
  member: string
  pages: number
}

export namespace PastPageCount {
  let _codec: Codec<PastPageCount>

  export const codec = (): Codec<PastPageCount> => {
    if (_codec == null) {
      _codec = message<PastPageCount>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.job != null && obj.job !== '')) {
          w.uint32(10)
          w.string(obj.job)
        }

        if ((obj.member != null && obj.member !== '')) {
          w.uint32(18)
          w.string(obj.member)
        }

        if ((obj.pages != null && obj.pages !== 0)) {
          w.uint32(24)
          w.uint64Number(obj.pages)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          job: '',
          member: '',
          pages: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.job = reader.string()
              break
            }
            case 2: {
              obj.member = reader.string()
              break
            }
            case 3: {
              obj.pages = reader.uint64Number()
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
                field: `${prefix}.job`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.member`,
                value: reader.string()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.pages`,
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

  export interface PastPageCountJobFieldEvent {
    field: '$.job'
    value: string
  }

  export interface PastPageCountMemberFieldEvent {
    field: '$.member'
    value: string
  }

  export interface PastPageCountPagesFieldEvent {
    field: '$.pages'
    value: number
  }

  export function encode (obj: Partial<PastPageCount>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, PastPageCount.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PastPageCount>): PastPageCount {
    return decodeMessage(buf, PastPageCount.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PastPageCount>): Generator<PastPageCountJobFieldEvent | PastPageCountMemberFieldEvent | PastPageCountPagesFieldEvent> {
    return streamMessage(buf, PastPageCount.codec(), opts)
  }
}

export interface LendAddresses {
  generation: number
  sequence: number
  items: AddressItem[]
}

export namespace LendAddresses {
  let _codec: Codec<LendAddresses>

  export const codec = (): Codec<LendAddresses> => {
    if (_codec == null) {
      _codec = message<LendAddresses>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(8)
          w.uint64Number(obj.generation)
        }

        if ((obj.sequence != null && obj.sequence !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.sequence)
        }

        if (obj.items != null && obj.items.length > 0) {
          for (const value of obj.items) {
            w.uint32(26)
            AddressItem.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          generation: 0,
          sequence: 0,
          items: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.generation = reader.uint64Number()
              break
            }
            case 2: {
              obj.sequence = reader.uint64Number()
              break
            }
            case 3: {
              if (opts.limits?.items != null && obj.items.length === opts.limits.items) {
                throw new MaxLengthError('Decode error - repeated field "items" had too many elements')
              }

              obj.items.push(AddressItem.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.items$
              }))
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
          items: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.sequence`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              if (opts.limits?.items != null && obj.items === opts.limits.items) {
                throw new MaxLengthError('Streaming decode error - repeated field "items" had too many elements')
              }

              for (const evt of AddressItem.codec().stream(reader, reader.uint32(), `${prefix}.items[]`, {
                limits: opts.limits?.items$
              })) {
                yield {
                  ...evt,
                  index: obj.items
                }
              }

              obj.items++

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

  export interface LendAddressesGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface LendAddressesSequenceFieldEvent {
    field: '$.sequence'
    value: number
  }

  export interface LendAddressesItemsAddressFieldEvent {
    field: '$.items[].address'
    value: string
    index: number
  }

  export interface LendAddressesItemsReturnedFieldEvent {
    field: '$.items[].returned'
    value: boolean
    index: number
  }

  export interface LendAddressesItemsHeldMsFieldEvent {
    field: '$.items[].heldMs'
    value: number
    index: number
  }

  export interface LendAddressesItemsBusyFieldEvent {
    field: '$.items[].busy'
    value: boolean
    index: number
  }

  export interface LendAddressesItemsRestMsFieldEvent {
    field: '$.items[].restMs'
    value: number
    index: number
  }

  export function encode (obj: Partial<LendAddresses>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, LendAddresses.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LendAddresses>): LendAddresses {
    return decodeMessage(buf, LendAddresses.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LendAddresses>): Generator<LendAddressesGenerationFieldEvent | LendAddressesSequenceFieldEvent | LendAddressesItemsAddressFieldEvent | LendAddressesItemsReturnedFieldEvent | LendAddressesItemsHeldMsFieldEvent | LendAddressesItemsBusyFieldEvent | LendAddressesItemsRestMsFieldEvent> {
    return streamMessage(buf, LendAddresses.codec(), opts)
  }
}

export interface AddressItem {
  address: string
  returned: boolean
  heldMs: number
  busy: boolean
  restMs: number
}

export namespace AddressItem {
  let _codec: Codec<AddressItem>

  export const codec = (): Codec<AddressItem> => {
    if (_codec == null) {
      _codec = message<AddressItem>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.address != null && obj.address !== '')) {
          w.uint32(10)
          w.string(obj.address)
        }

        if ((obj.returned != null && obj.returned !== false)) {
          w.uint32(16)
          w.bool(obj.returned)
        }

        if ((obj.heldMs != null && obj.heldMs !== 0)) {
          w.uint32(25)
          w.double(obj.heldMs)
        }

        if ((obj.busy != null && obj.busy !== false)) {
          w.uint32(32)
          w.bool(obj.busy)
        }

        if ((obj.restMs != null && obj.restMs !== 0)) {
          w.uint32(41)
          w.double(obj.restMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          address: '',
          returned: false,
          heldMs: 0,
          busy: false,
          restMs: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.address = reader.string()
              break
            }
            case 2: {
              obj.returned = reader.bool()
              break
            }
            case 3: {
              obj.heldMs = reader.double()
              break
            }
            case 4: {
              obj.busy = reader.bool()
              break
            }
            case 5: {
              obj.restMs = reader.double()
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
                field: `${prefix}.address`,
                value: reader.string()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.returned`,
                value: reader.bool()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.heldMs`,
                value: reader.double()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.busy`,
                value: reader.bool()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.restMs`,
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

  export interface AddressItemAddressFieldEvent {
    field: '$.address'
    value: string
  }

  export interface AddressItemReturnedFieldEvent {
    field: '$.returned'
    value: boolean
  }

  export interface AddressItemHeldMsFieldEvent {
    field: '$.heldMs'
    value: number
  }

  export interface AddressItemBusyFieldEvent {
    field: '$.busy'
    value: boolean
  }

  export interface AddressItemRestMsFieldEvent {
    field: '$.restMs'
    value: number
  }

  export function encode (obj: Partial<AddressItem>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, AddressItem.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<AddressItem>): AddressItem {
    return decodeMessage(buf, AddressItem.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<AddressItem>): Generator<AddressItemAddressFieldEvent | AddressItemReturnedFieldEvent | AddressItemHeldMsFieldEvent | AddressItemBusyFieldEvent | AddressItemRestMsFieldEvent> {
    return streamMessage(buf, AddressItem.codec(), opts)
  }
}

export interface LendAddressesReply {
  answers: LoanAnswer[]
}

export namespace LendAddressesReply {
  let _codec: Codec<LendAddressesReply>

  export const codec = (): Codec<LendAddressesReply> => {
    if (_codec == null) {
      _codec = message<LendAddressesReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.answers != null && obj.answers.length > 0) {
          for (const value of obj.answers) {
            w.uint32(10)
            LoanAnswer.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          answers: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.answers != null && obj.answers.length === opts.limits.answers) {
                throw new MaxLengthError('Decode error - repeated field "answers" had too many elements')
              }

              obj.answers.push(LoanAnswer.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.answers$
              }))
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
          answers: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.answers != null && obj.answers === opts.limits.answers) {
                throw new MaxLengthError('Streaming decode error - repeated field "answers" had too many elements')
              }

              for (const evt of LoanAnswer.codec().stream(reader, reader.uint32(), `${prefix}.answers[]`, {
                limits: opts.limits?.answers$
              })) {
                yield {
                  ...evt,
                  index: obj.answers
                }
              }

              obj.answers++

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

  export interface LendAddressesReplyAnswersLentFieldEvent {
    field: '$.answers[].lent'
    value: boolean
    index: number
  }

  export interface LendAddressesReplyAnswersForMsFieldEvent {
    field: '$.answers[].forMs'
    value: number
    index: number
  }

  export interface LendAddressesReplyAnswersRestMsFieldEvent {
    field: '$.answers[].restMs'
    value: number
    index: number
  }

  export interface LendAddressesReplyAnswersSharedFieldEvent {
    field: '$.answers[].shared'
    value: boolean
    index: number
  }

  export function encode (obj: Partial<LendAddressesReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, LendAddressesReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LendAddressesReply>): LendAddressesReply {
    return decodeMessage(buf, LendAddressesReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LendAddressesReply>): Generator<LendAddressesReplyAnswersLentFieldEvent | LendAddressesReplyAnswersForMsFieldEvent | LendAddressesReplyAnswersRestMsFieldEvent | LendAddressesReplyAnswersSharedFieldEvent> {
    return streamMessage(buf, LendAddressesReply.codec(), opts)
  }
}

export interface LoanAnswer {
  lent: boolean
  forMs: number
  restMs: number
  shared: boolean
}

export namespace LoanAnswer {
  let _codec: Codec<LoanAnswer>

  export const codec = (): Codec<LoanAnswer> => {
    if (_codec == null) {
      _codec = message<LoanAnswer>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.lent != null && obj.lent !== false)) {
          w.uint32(8)
          w.bool(obj.lent)
        }

        if ((obj.forMs != null && obj.forMs !== 0)) {
          w.uint32(17)
          w.double(obj.forMs)
        }

        if ((obj.restMs != null && obj.restMs !== 0)) {
          w.uint32(25)
          w.double(obj.restMs)
        }

        if ((obj.shared != null && obj.shared !== false)) {
          w.uint32(32)
          w.bool(obj.shared)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          lent: false,
          forMs: 0,
          restMs: 0,
          shared: false
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.lent = reader.bool()
              break
            }
            case 2: {
              obj.forMs = reader.double()
              break
            }
            case 3: {
              obj.restMs = reader.double()
              break
            }
            case 4: {
              obj.shared = reader.bool()
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
                field: `${prefix}.lent`,
                value: reader.bool()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.forMs`,
                value: reader.double()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.restMs`,
                value: reader.double()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.shared`,
                value: reader.bool()
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

  export interface LoanAnswerLentFieldEvent {
    field: '$.lent'
    value: boolean
  }

  export interface LoanAnswerForMsFieldEvent {
    field: '$.forMs'
    value: number
  }

  export interface LoanAnswerRestMsFieldEvent {
    field: '$.restMs'
    value: number
  }

  export interface LoanAnswerSharedFieldEvent {
    field: '$.shared'
    value: boolean
  }

  export function encode (obj: Partial<LoanAnswer>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, LoanAnswer.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LoanAnswer>): LoanAnswer {
    return decodeMessage(buf, LoanAnswer.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LoanAnswer>): Generator<LoanAnswerLentFieldEvent | LoanAnswerForMsFieldEvent | LoanAnswerRestMsFieldEvent | LoanAnswerSharedFieldEvent> {
    return streamMessage(buf, LoanAnswer.codec(), opts)
  }
}

export interface CallAddresses {
  generation: number
  recalled: string[]
  turns: string[]
}

export namespace CallAddresses {
  let _codec: Codec<CallAddresses>

  export const codec = (): Codec<CallAddresses> => {
    if (_codec == null) {
      _codec = message<CallAddresses>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(8)
          w.uint64Number(obj.generation)
        }

        if (obj.recalled != null && obj.recalled.length > 0) {
          for (const value of obj.recalled) {
            w.uint32(18)
            w.string(value)
          }
        }

        if (obj.turns != null && obj.turns.length > 0) {
          for (const value of obj.turns) {
            w.uint32(26)
            w.string(value)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          generation: 0,
          recalled: [],
          turns: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.generation = reader.uint64Number()
              break
            }
            case 2: {
              if (opts.limits?.recalled != null && obj.recalled.length === opts.limits.recalled) {
                throw new MaxLengthError('Decode error - repeated field "recalled" had too many elements')
              }

              obj.recalled.push(reader.string())
              break
            }
            case 3: {
              if (opts.limits?.turns != null && obj.turns.length === opts.limits.turns) {
                throw new MaxLengthError('Decode error - repeated field "turns" had too many elements')
              }

              obj.turns.push(reader.string())
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
          recalled: 0,
          turns: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 2: {
              if (opts.limits?.recalled != null && obj.recalled === opts.limits.recalled) {
                throw new MaxLengthError('Streaming decode error - repeated field "recalled" had too many elements')
              }

              yield {
                field: `${prefix}.recalled[]`,
                index: obj.recalled,
                value: reader.string()
              }

              obj.recalled++

              break
            }
            case 3: {
              if (opts.limits?.turns != null && obj.turns === opts.limits.turns) {
                throw new MaxLengthError('Streaming decode error - repeated field "turns" had too many elements')
              }

              yield {
                field: `${prefix}.turns[]`,
                index: obj.turns,
                value: reader.string()
              }

              obj.turns++

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

  export interface CallAddressesGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface CallAddressesRecalledFieldEvent {
    field: '$.recalled[]'
    index: number
    value: string
  }

  export interface CallAddressesTurnsFieldEvent {
    field: '$.turns[]'
    index: number
    value: string
  }

  export function encode (obj: Partial<CallAddresses>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, CallAddresses.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<CallAddresses>): CallAddresses {
    return decodeMessage(buf, CallAddresses.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<CallAddresses>): Generator<CallAddressesGenerationFieldEvent | CallAddressesRecalledFieldEvent | CallAddressesTurnsFieldEvent> {
    return streamMessage(buf, CallAddresses.codec(), opts)
  }
}

export interface CallAddressesReply {
  generation: number
  sequence: number
  answers: RecallAnswer[]
}

export namespace CallAddressesReply {
  let _codec: Codec<CallAddressesReply>

  export const codec = (): Codec<CallAddressesReply> => {
    if (_codec == null) {
      _codec = message<CallAddressesReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.generation != null && obj.generation !== 0)) {
          w.uint32(8)
          w.uint64Number(obj.generation)
        }

        if ((obj.sequence != null && obj.sequence !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.sequence)
        }

        if (obj.answers != null && obj.answers.length > 0) {
          for (const value of obj.answers) {
            w.uint32(26)
            RecallAnswer.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          generation: 0,
          sequence: 0,
          answers: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.generation = reader.uint64Number()
              break
            }
            case 2: {
              obj.sequence = reader.uint64Number()
              break
            }
            case 3: {
              if (opts.limits?.answers != null && obj.answers.length === opts.limits.answers) {
                throw new MaxLengthError('Decode error - repeated field "answers" had too many elements')
              }

              obj.answers.push(RecallAnswer.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.answers$
              }))
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
          answers: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              yield {
                field: `${prefix}.generation`,
                value: reader.uint64Number()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.sequence`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              if (opts.limits?.answers != null && obj.answers === opts.limits.answers) {
                throw new MaxLengthError('Streaming decode error - repeated field "answers" had too many elements')
              }

              for (const evt of RecallAnswer.codec().stream(reader, reader.uint32(), `${prefix}.answers[]`, {
                limits: opts.limits?.answers$
              })) {
                yield {
                  ...evt,
                  index: obj.answers
                }
              }

              obj.answers++

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

  export interface CallAddressesReplyGenerationFieldEvent {
    field: '$.generation'
    value: number
  }

  export interface CallAddressesReplySequenceFieldEvent {
    field: '$.sequence'
    value: number
  }

  export interface CallAddressesReplyAnswersReturnedFieldEvent {
    field: '$.answers[].returned'
    value: boolean
    index: number
  }

  export interface CallAddressesReplyAnswersRestMsFieldEvent {
    field: '$.answers[].restMs'
    value: number
    index: number
  }

  export function encode (obj: Partial<CallAddressesReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, CallAddressesReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<CallAddressesReply>): CallAddressesReply {
    return decodeMessage(buf, CallAddressesReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<CallAddressesReply>): Generator<CallAddressesReplyGenerationFieldEvent | CallAddressesReplySequenceFieldEvent | CallAddressesReplyAnswersReturnedFieldEvent | CallAddressesReplyAnswersRestMsFieldEvent> {
    return streamMessage(buf, CallAddressesReply.codec(), opts)
  }
}

export interface RecallAnswer {
  returned: boolean
  restMs: number
}

export namespace RecallAnswer {
  let _codec: Codec<RecallAnswer>

  export const codec = (): Codec<RecallAnswer> => {
    if (_codec == null) {
      _codec = message<RecallAnswer>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if ((obj.returned != null && obj.returned !== false)) {
          w.uint32(8)
          w.bool(obj.returned)
        }

        if ((obj.restMs != null && obj.restMs !== 0)) {
          w.uint32(17)
          w.double(obj.restMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          returned: false,
          restMs: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.returned = reader.bool()
              break
            }
            case 2: {
              obj.restMs = reader.double()
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
                field: `${prefix}.returned`,
                value: reader.bool()
              }
              break
            }
            case 2: {
              yield {
                field: `${prefix}.restMs`,
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

  export interface RecallAnswerReturnedFieldEvent {
    field: '$.returned'
    value: boolean
  }

  export interface RecallAnswerRestMsFieldEvent {
    field: '$.restMs'
    value: number
  }

  export function encode (obj: Partial<RecallAnswer>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, RecallAnswer.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RecallAnswer>): RecallAnswer {
    return decodeMessage(buf, RecallAnswer.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<RecallAnswer>): Generator<RecallAnswerReturnedFieldEvent | RecallAnswerRestMsFieldEvent> {
    return streamMessage(buf, RecallAnswer.codec(), opts)
  }
}

export interface HandOverAddresses {
  addresses: string[]
}

export namespace HandOverAddresses {
  let _codec: Codec<HandOverAddresses>

  export const codec = (): Codec<HandOverAddresses> => {
    if (_codec == null) {
      _codec = message<HandOverAddresses>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.addresses != null && obj.addresses.length > 0) {
          for (const value of obj.addresses) {
            w.uint32(10)
            w.string(value)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          addresses: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.addresses != null && obj.addresses.length === opts.limits.addresses) {
                throw new MaxLengthError('Decode error - repeated field "addresses" had too many elements')
              }

              obj.addresses.push(reader.string())
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
          addresses: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.addresses != null && obj.addresses === opts.limits.addresses) {
                throw new MaxLengthError('Streaming decode error - repeated field "addresses" had too many elements')
              }

              yield {
                field: `${prefix}.addresses[]`,
                index: obj.addresses,
                value: reader.string()
              }

              obj.addresses++

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

  export interface HandOverAddressesAddressesFieldEvent {
    field: '$.addresses[]'
    index: number
    value: string
  }

  export function encode (obj: Partial<HandOverAddresses>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, HandOverAddresses.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HandOverAddresses>): HandOverAddresses {
    return decodeMessage(buf, HandOverAddresses.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HandOverAddresses>): Generator<HandOverAddressesAddressesFieldEvent> {
    return streamMessage(buf, HandOverAddresses.codec(), opts)
  }
}

export interface HandOverAddressesReply {
  states: LoanState[]
}

export namespace HandOverAddressesReply {
  let _codec: Codec<HandOverAddressesReply>

  export const codec = (): Codec<HandOverAddressesReply> => {
    if (_codec == null) {
      _codec = message<HandOverAddressesReply>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.states != null && obj.states.length > 0) {
          for (const value of obj.states) {
            w.uint32(10)
            LoanState.codec().encode(value, w)
          }
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          states: []
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.states != null && obj.states.length === opts.limits.states) {
                throw new MaxLengthError('Decode error - repeated field "states" had too many elements')
              }

              obj.states.push(LoanState.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.states$
              }))
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
          states: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              if (opts.limits?.states != null && obj.states === opts.limits.states) {
                throw new MaxLengthError('Streaming decode error - repeated field "states" had too many elements')
              }

              for (const evt of LoanState.codec().stream(reader, reader.uint32(), `${prefix}.states[]`, {
                limits: opts.limits?.states$
              })) {
                yield {
                  ...evt,
                  index: obj.states
                }
              }

              obj.states++

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

  export interface HandOverAddressesReplyStatesHolderMemberFieldEvent {
    field: '$.states[].holder.member'
    value: string
    index: number
  }

  export interface HandOverAddressesReplyStatesHolderGenerationFieldEvent {
    field: '$.states[].holder.generation'
    value: number
    index: number
  }

  export interface HandOverAddressesReplyStatesSequenceFieldEvent {
    field: '$.states[].sequence'
    value: number
    index: number
  }

  export interface HandOverAddressesReplyStatesHeldMsFieldEvent {
    field: '$.states[].heldMs'
    value: number
    index: number
  }

  export interface HandOverAddressesReplyStatesRestMsFieldEvent {
    field: '$.states[].restMs'
    value: number
    index: number
  }

  export interface HandOverAddressesReplyStatesUnsureMsFieldEvent {
    field: '$.states[].unsureMs'
    value: number
    index: number
  }

  export function encode (obj: Partial<HandOverAddressesReply>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, HandOverAddressesReply.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HandOverAddressesReply>): HandOverAddressesReply {
    return decodeMessage(buf, HandOverAddressesReply.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<HandOverAddressesReply>): Generator<HandOverAddressesReplyStatesHolderMemberFieldEvent | HandOverAddressesReplyStatesHolderGenerationFieldEvent | HandOverAddressesReplyStatesSequenceFieldEvent | HandOverAddressesReplyStatesHeldMsFieldEvent | HandOverAddressesReplyStatesRestMsFieldEvent | HandOverAddressesReplyStatesUnsureMsFieldEvent> {
    return streamMessage(buf, HandOverAddressesReply.codec(), opts)
  }
}

export interface LoanState {
  holder?: MemberRun
  sequence: number
  heldMs: number
  restMs: number
  unsureMs: number
}

export namespace LoanState {
  let _codec: Codec<LoanState>

  export const codec = (): Codec<LoanState> => {
    if (_codec == null) {
      _codec = message<LoanState>((obj, w, opts = {}) => {
        if (opts.lengthDelimited !== false) {
          w.fork()
        }

        if (obj.holder != null) {
          w.uint32(10)
          MemberRun.codec().encode(obj.holder, w)
        }

        if ((obj.sequence != null && obj.sequence !== 0)) {
          w.uint32(16)
          w.uint64Number(obj.sequence)
        }

        if ((obj.heldMs != null && obj.heldMs !== 0)) {
          w.uint32(25)
          w.double(obj.heldMs)
        }

        if ((obj.restMs != null && obj.restMs !== 0)) {
          w.uint32(33)
          w.double(obj.restMs)
        }

        if ((obj.unsureMs != null && obj.unsureMs !== 0)) {
          w.uint32(41)
          w.double(obj.unsureMs)
        }

        if (opts.lengthDelimited !== false) {
          w.ldelim()
        }
      }, (reader, length, opts = {}) => {
        const obj: any = {
          sequence: 0,
          heldMs: 0,
          restMs: 0,
          unsureMs: 0
        }

        const end = length == null ? reader.len : reader.pos + length

        while (reader.pos < end) {
          const tag = reader.uint32()

          switch (tag >>> 3) {
            case 1: {
              obj.holder = MemberRun.codec().decode(reader, reader.uint32(), {
                limits: opts.limits?.holder
              })
              break
            }
            case 2: {
              obj.sequence = reader.uint64Number()
              break
            }
            case 3: {
              obj.heldMs = reader.double()
              break
            }
            case 4: {
              obj.restMs = reader.double()
              break
            }
            case 5: {
              obj.unsureMs = reader.double()
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
              yield * MemberRun.codec().stream(reader, reader.uint32(), `${prefix}.holder`, {
                limits: opts.limits?.holder
              })

              break
            }
            case 2: {
              yield {
                field: `${prefix}.sequence`,
                value: reader.uint64Number()
              }
              break
            }
            case 3: {
              yield {
                field: `${prefix}.heldMs`,
                value: reader.double()
              }
              break
            }
            case 4: {
              yield {
                field: `${prefix}.restMs`,
                value: reader.double()
              }
              break
            }
            case 5: {
              yield {
                field: `${prefix}.unsureMs`,
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

  export interface LoanStateHolderMemberFieldEvent {
    field: '$.holder.member'
    value: string
  }

  export interface LoanStateHolderGenerationFieldEvent {
    field: '$.holder.generation'
    value: number
  }

  export interface LoanStateSequenceFieldEvent {
    field: '$.sequence'
    value: number
  }

  export interface LoanStateHeldMsFieldEvent {
    field: '$.heldMs'
    value: number
  }

  export interface LoanStateRestMsFieldEvent {
    field: '$.restMs'
    value: number
  }

  export interface LoanStateUnsureMsFieldEvent {
    field: '$.unsureMs'
    value: number
  }

  export function encode (obj: Partial<LoanState>): Uint8Array<ArrayBuffer> {
    return encodeMessage(obj, LoanState.codec())
  }

  export function decode (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LoanState>): LoanState {
    return decodeMessage(buf, LoanState.codec(), opts)
  }

  export function stream (buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<LoanState>): Generator<LoanStateHolderMemberFieldEvent | LoanStateHolderGenerationFieldEvent | LoanStateSequenceFieldEvent | LoanStateHeldMsFieldEvent | LoanStateRestMsFieldEvent | LoanStateUnsureMsFieldEvent> {
    return streamMessage(buf, LoanState.codec(), opts)
  }
}
