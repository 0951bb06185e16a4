// The log holds calls without their secrets: only so can one be found there.
import type { JsonObject } from '@quarterdeck/protocol'
import type { Redactor } from '../../redaction/redact.ts'
import type { CallHash } from './call-hash.ts'
import { isSameCall } from './normalise-input.ts'

interface Call {
  readonly toolName: string
  readonly toolInput: JsonObject
}

interface KnownCall extends Call {
  /** Absent in old logs. */
  readonly inputHash?: string | undefined
}

/** Exactly this call, also where the log cannot tell it from another with other secrets. */
export const createIsThisCall =
  ({ redactor, hashCall }: { readonly redactor: Redactor; readonly hashCall: CallHash }) =>
  (known: KnownCall, call: Call): boolean =>
    isSameCall(known, { ...call, toolInput: redactor.value(call.toolInput) }) &&
    (known.inputHash ?? hashCall(call)) === hashCall(call)
