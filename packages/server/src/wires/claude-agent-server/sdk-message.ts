import type { SdkUsage } from './sdk-usage.ts'

export interface SdkMessage {
  readonly type: 'system' | 'assistant' | 'user' | 'result' | 'stream_event'
  readonly uuid: string
  readonly session_id: string
  readonly [field: string]: unknown
}

/** The state of the session that messages need. */
export interface Speaker {
  readonly model: () => string
  readonly usage: SdkUsage
}
