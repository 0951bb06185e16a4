import type { MessageDelivery } from '@quarterdeck/protocol'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'

interface ComposerProps {
  readonly agentName: string
  /** True while a turn runs: a message is then queued, or steers the turn. */
  readonly isQueueing: boolean
  /** Resolves to false when the message was rejected. Its text then stays in the box. */
  readonly onSend: (content: string, delivery: MessageDelivery) => Promise<boolean>
  /** Why the last message was rejected, as a sentence. */
  readonly problem: string | null
}

export function Composer({ agentName, isQueueing, onSend, problem }: ComposerProps) {
  const [draft, setDraft] = useState('')
  const [isSending, setSending] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const id = useId()

  async function send(delivery: MessageDelivery): Promise<void> {
    const content = draft.trim()
    if (content === '' || isSending) return
    setSending(true)
    if (await onSend(content, delivery)) setDraft((now) => unsentDraft(draft, now))
    setSending(false)
    box.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send(isQueueing && (event.ctrlKey || event.metaKey) ? 'immediate' : 'queued')
  }

  return (
    <>
      {problem !== null && (
        <div className="status-line failure" role="alert">
          {problem} Your text is still in the box.
        </div>
      )}
      <div className="composer">
        <label className="visually-hidden" htmlFor={id}>
          Message {agentName}
        </label>
        <textarea
          id={id}
          ref={box}
          rows={1}
          value={draft}
          placeholder={`Message ${agentName}`}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="bar">
          <SendButtons
            isQueueing={isQueueing}
            disabled={draft.trim() === '' || isSending}
            onSend={(delivery) => void send(delivery)}
          />
        </div>
      </div>
    </>
  )
}

/** The text that stays in the box after `sent` was accepted: anything written since. */
export const unsentDraft = (sent: string, now: string): string =>
  now.startsWith(sent) ? now.slice(sent.length).trimStart() : now

interface SendButtonsProps {
  readonly isQueueing: boolean
  readonly disabled: boolean
  readonly onSend: (delivery: MessageDelivery) => void
}

function SendButtons({ isQueueing, disabled, onSend }: SendButtonsProps) {
  return (
    <>
      {isQueueing && (
        <Button
          variant={['s', 'quiet']}
          disabled={disabled}
          title="Delivered to the agent during the current turn"
          onClick={() => onSend('immediate')}
        >
          Steer now <kbd className="wide-only">{commandKey} Enter</kbd>
        </Button>
      )}
      <Button variant={['s', 'primary']} disabled={disabled} onClick={() => onSend('queued')}>
        {isQueueing ? 'Queue' : 'Send'} <kbd className="wide-only">Enter</kbd>
      </Button>
    </>
  )
}

const commandKey = typeof navigator !== 'undefined' && /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl'
