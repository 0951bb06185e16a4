// The log contains calls without their secrets, so a call has to be compared in that form.
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

/** Exactly this call, even if the log contains another one that differs only in its secrets. */
export const createIsThisCall =
  ({ redactor, hashCall }: { readonly redactor: Redactor; readonly hashCall: CallHash }) =>
  (known: KnownCall, call: Call): boolean =>
    isSameCall(known, { ...call, toolInput: redactor.value(call.toolInput) }) &&
    (known.inputHash ?? hashCall(call)) === hashCall(call)
