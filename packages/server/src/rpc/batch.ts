// The answers of one batch. They are serialized as they come, because they are held until the last one is ready.
import { rpcErrorCodes } from '@quarterdeck/protocol'
import { failure, type RpcAnswer } from './answer-messages.ts'
import type { RpcId, RpcMessage } from './read-message.ts'

/** Limit of the answers of a batch, after which the rest is refused. */
const maxBatchLength = 8 * 1024 * 1024

export function createBatch(answer: (message: RpcMessage) => Promise<RpcAnswer>) {
  const pending: Promise<void>[] = []
  const notifications: string[] = []
  const replies: (string | undefined)[] = []
  const starts: (() => void)[] = []
  let length = 0

  async function fill(at: number, message: RpcMessage): Promise<void> {
    const isFull = length > maxBatchLength && message.type === 'call'
    const { reply, start } = isFull ? refusal(message.id) : await answer(message)
    if (start !== undefined) starts.push(start)
    if (reply === null) return
    const text = JSON.stringify(reply)
    if ('method' in reply) notifications.push(text)
    else replies[at] = text
    length += text.length
  }

  return {
    /** Resolves when it is answered. Never rejects. */
    add(message: RpcMessage): Promise<void> {
      const filling = fill(pending.length, message)
      pending.push(filling)
      return filling
    },
    /** The answers of all added messages, in order. Notifications are separate. */
    async answers() {
      await Promise.all(pending)
      return { notifications, replies: replies.filter((text) => text !== undefined), starts }
    },
  }
}

function refusal(id: RpcId | undefined): RpcAnswer {
  if (id === undefined) return { reply: null }
  const message = `the answers of this batch are longer than ${maxBatchLength} characters: send this one by itself`
  return { reply: failure(id, { code: rpcErrorCodes.invalidRequest, message }) }
}
