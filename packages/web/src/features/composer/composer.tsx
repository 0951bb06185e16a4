import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { restOfDraft } from './rest-of-draft.ts'

interface ComposerProps {
  readonly agentName: string
  /** True while a turn runs: the message then waits for its end. */
  readonly isQueueing: boolean
  /** Resolves to false when it was not accepted: the text then stays in the box. */
  readonly onSend: (content: string) => Promise<boolean>
  /** Why the last one was not accepted, as a sentence. */
  readonly problem: string | null
}

export function Composer({ agentName, isQueueing, onSend, problem }: ComposerProps) {
  const [draft, setDraft] = useState('')
  const [isSending, setSending] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const id = useId()

  async function send(): Promise<void> {
    const content = draft.trim()
    if (content === '' || isSending) return
    setSending(true)
    if (await onSend(content)) setDraft((now) => restOfDraft(draft, now))
    setSending(false)
    box.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }

  return (
    <>
      {problem !== null && (
        <div className="status-line minus" role="alert">
          {problem} Your text is kept.
        </div>
      )}
      <div className="composer">
        <label className="unseen" htmlFor={id}>
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
          <Button look={['s', 'ink']} disabled={draft.trim() === '' || isSending} onClick={() => void send()}>
            {isQueueing ? 'Queue' : 'Send'} <kbd className="wide-only">Enter</kbd>
          </Button>
        </div>
      </div>
    </>
  )
}
