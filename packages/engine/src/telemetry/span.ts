// A span: one operation with a duration and a parent. Ids are derived from names, so that the parts of a turn match
// although none of them is stored, even after a restart.
import { createHash } from 'node:crypto'
import type { TurnId } from '@quarterdeck/protocol'

export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue>>

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits, like the parent id. */
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: 'internal' | 'client'
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly isError: boolean
}

/** Each turn is one trace. */
export const traceIdOf = (turnId: TurnId): string => digest(turnId).slice(0, 32)

export const spanIdOf = (turnId: TurnId, ...names: readonly string[]): string =>
  digest([turnId, ...names].join('\n')).slice(0, 16)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The same decision for every part of a trace, from its id alone. */
export const isSampled = (traceId: string, rate: number): boolean =>
  rate >= 1 || Number.parseInt(traceId.slice(0, 8), 16) < rate * 2 ** 32

/** Without unknown values. */
export const attributesOf = (known: Readonly<Record<string, AttributeValue | null | undefined>>): Attributes =>
  Object.fromEntries(
    Object.entries(known).filter(
      (entry): entry is [string, AttributeValue] => entry[1] !== undefined && entry[1] !== null,
    ),
  )
