// Distinguishes calls that look alike once their secrets are removed. Keyed, so that a secret cannot be found by
// guessing.
import { createHmac } from 'node:crypto'
import type { JsonObject } from '@quarterdeck/protocol'
import { canonicalToolName } from '../tools/available-tools.ts'
import { canonicalJson } from './normalise-input.ts'

/** Takes the call with its secrets: only the hash may be stored. */
export type CallHash = (call: { readonly toolName: string; readonly toolInput: JsonObject }) => string

export const createCallHash =
  (key: Buffer): CallHash =>
  ({ toolName, toolInput }) =>
    createHmac('sha256', key)
      .update(canonicalJson([canonicalToolName(toolName), toolInput]))
      .digest('hex')
