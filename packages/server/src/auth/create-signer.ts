import { createHmac } from 'node:crypto'

/** Proves that this data folder gave something out: the same text has the same proof after a restart. */
export type Sign = (purpose: string, text: string) => string

/** What it gives out says nothing about the secret, and a proof for one purpose is none for another. */
export const createSigner =
  (secret: string): Sign =>
  (purpose, text) =>
    createHmac('sha256', createHmac('sha256', secret).update(purpose).digest()).update(text).digest('base64url')
