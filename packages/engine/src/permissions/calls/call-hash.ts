// Distinguishes calls that look alike once their secrets are removed. Keyed, so that a secret cannot be found by
// guessing.
import { createHmac } from 'node:crypto'
import type { Redactor } from '../../redaction/redact.ts'
import { canonicalToolName } from '../tools/available-tools.ts'
import type { CheckedCall } from './checked-call.ts'
import { canonicalJson, isSameCall } from './normalise-input.ts'

/** Takes the call with its secrets: only the hash may be stored. */
export type CallHash = (call: CheckedCall) => string

export const createCallHash =
  (key: Buffer): CallHash =>
  ({ toolName, toolInput }) =>
    createHmac('sha256', key)
      .update(canonicalJson([canonicalToolName(toolName), toolInput]))
      .digest('hex')

/** As the log contains it: without its secrets, so a call has to be compared in that form. */
interface KnownCall extends CheckedCall {
  /** Absent in old logs. */
  readonly inputHash?: string | undefined
}

/** Exactly this call, even if the log contains another one that differs only in its secrets. */
export const createIsThisCall =
  ({ redactor, hashCall }: { readonly redactor: Redactor; readonly hashCall: CallHash }) =>
  (known: KnownCall, call: CheckedCall): boolean =>
    isSameCall(known, { ...call, toolInput: redactor.value(call.toolInput) }) &&
    (known.inputHash ?? hashCall(call)) === hashCall(call)
