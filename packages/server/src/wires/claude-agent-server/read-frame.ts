import { QuarterdeckError } from '@quarterdeck/protocol'
import { parseBoundedJson } from '../../http/read-body.ts'
import type { Frame } from '../../transports/socket.ts'
import { FrameIn, frameTypes } from './frames.ts'

/** What a client sent; `null` for a type nobody knows, which the original ignores. Throws for what is none at all. */
export function readFrame(frame: Frame): FrameIn | null {
  if (frame.type === 'binary') throw invalid('a frame must be text')
  if (frame.type === 'too-large') throw invalid(`a frame of ${frame.bytes} bytes is too large`)
  const parsed = parseBoundedJson(frame.text)
  if (parsed.type !== 'value') throw invalid(parsed.why)
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('must be an object')
  if (!('type' in value) || typeof value.type !== 'string') throw invalid('type: must be a text')
  return frameTypes.has(value.type) ? FrameIn.parse(value) : null
}

const invalid = (why: string): QuarterdeckError =>
  new QuarterdeckError('request.invalid', `Invalid message format: ${why}`)
