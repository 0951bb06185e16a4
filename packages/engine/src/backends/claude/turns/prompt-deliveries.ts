// The prompts of a turn on their way to the model, according to the lifecycle messages of the CLI.
import type { UUID } from 'node:crypto'
import type { UserMessageId } from '@quarterdeck/protocol'
import type { TurnPrompt } from '../../driver/turn-driver.ts'
import { AnyMessage, CommandLifecycle } from '../translate/sdk-message.ts'

interface Delivery {
  readonly prompt: TurnPrompt
  /** The id of the last attempt; `null` before the first. */
  uuid: UUID | null
  state: 'waiting' | 'taken' | 'done'
}

const waitingDelivery = (prompt: TurnPrompt): Delivery => ({ prompt, uuid: null, state: 'waiting' })

export function createPromptDeliveries(first: TurnPrompt) {
  /** The prompt that was picked up last: its round may begin next. */
  let beginning: Delivery | null = null
  /** Of the prompt and the messages added since. */
  const deliveries = [waitingDelivery(first)]

  function finish(delivery: Delivery): void {
    delivery.state = 'done'
    if (beginning === delivery) beginning = null
  }

  return {
    /** Whether an added message is still pending: the CLI will answer it by itself, even after it sent `idle`. */
    isSteered: () => deliveries.slice(1).some(({ state }) => state !== 'done'),
    /** The prompts that the CLI has not picked up. */
    waiting: () => deliveries.filter(({ state }) => state === 'waiting').map(({ prompt }) => prompt),
    add(prompt: TurnPrompt): void {
      deliveries.push(waitingDelivery(prompt))
    },
    noteSent(prompt: TurnPrompt, uuid: UUID): void {
      const delivery = deliveries.find((one) => one.prompt === prompt)
      if (delivery !== undefined) delivery.uuid = uuid
    },
    /** Returns a message that was dropped: the CLI has seen its id in an earlier process and will not answer it. */
    recordDelivery(message: unknown): TurnPrompt | null {
      const lifecycle = CommandLifecycle.safeParse(message)
      if (!lifecycle.success) return null
      const delivery = deliveries.find(({ uuid }) => uuid === lifecycle.data.command_uuid)
      if (delivery === undefined) return null
      switch (lifecycle.data.state) {
        case 'started':
          delivery.state = 'taken'
          beginning = delivery
          return null
        case 'completed':
          if (delivery.state === 'waiting') return delivery.prompt
          finish(delivery)
          return null
        case 'cancelled':
          finish(delivery)
          return null
        default:
          return null
      }
    },
    /**
     * The message whose round begins, and with it the CLI's checkpoint. A message added to a running round has none.
     */
    takeRoundStart(message: unknown): UserMessageId | null {
      const any = AnyMessage.safeParse(message)
      if (!any.success || any.data.subtype !== 'init') return null
      const begun = beginning
      beginning = null
      return begun?.prompt.messageId ?? null
    },
  }
}
