import type { Client, CreateSessionBody, SendMessageBody, SessionId } from '@quarterdeck/protocol'

export interface Outbox {
  sendMessage(sessionId: SessionId, body: SendMessageBody): ReturnType<Client['sendMessage']>
  startSession(body: CreateSessionBody): ReturnType<Client['createSession']>
}

/**
 * Sends what a person wrote, once. A try whose answer was lost may have been accepted: the next press on the same words
 * goes out under the same key, so it happens once whatever became of the first. Changed words are another change, and
 * after an accepted one the same words are meant anew.
 */
export function createOutbox(client: Client): Outbox {
  const keys = new Map<string, string>()

  async function once<Reply>(what: readonly unknown[], send: (key: string) => Promise<Reply>): Promise<Reply> {
    const name = JSON.stringify(what)
    const key = keys.get(name) ?? crypto.randomUUID()
    keys.set(name, key)
    const reply = await send(key)
    keys.clear()
    return reply
  }

  return {
    sendMessage: (sessionId, body) => once([sessionId, body], (key) => client.sendMessage(sessionId, body, { key })),
    startSession: (body) => once([body], (key) => client.createSession(body, { key })),
  }
}
