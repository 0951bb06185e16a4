// Tells calls apart that look alike once their secrets are taken out. Keyed: nobody finds a secret by trying.
import { createHmac } from 'node:crypto'
import type { JsonObject } from '@quarterdeck/protocol'
import { canonicalToolName } from '../tools/available-tools.ts'
import { canonicalJson } from './normalise-input.ts'

/** Of a call as it was made, secrets and all: only the hash may be written. */
export type CallHash = (call: { readonly toolName: string; readonly toolInput: JsonObject }) => string

export const createCallHash =
  (key: Buffer): CallHash =>
  ({ toolName, toolInput }) =>
    createHmac('sha256', key)
      .update(canonicalJson([canonicalToolName(toolName), toolInput]))
      .digest('hex')
