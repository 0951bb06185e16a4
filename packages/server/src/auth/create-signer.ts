import { createHmac } from 'node:crypto'

/** Signs text for this data folder. Signatures stay the same after a restart. */
export type Sign = (purpose: string, text: string) => string

/** Signatures do not reveal the secret, and a signature for one purpose is invalid for another. */
export const createSigner =
  (secret: string): Sign =>
  (purpose, text) =>
    createHmac('sha256', createHmac('sha256', secret).update(purpose).digest()).update(text).digest('base64url')
