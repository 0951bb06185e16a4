import { Button } from '../../../components/controls/button.tsx'

interface NoQuestionYetProps {
  readonly hasTables: boolean
  readonly onAsk: () => void
  readonly onAdd: () => void
}

/** Before the first question. */
export function NoQuestionYet({ hasTables, onAsk, onAdd }: NoQuestionYetProps) {
  return (
    <div className="empty">
      <h2>{hasTables ? 'Ask your data' : 'Add a table first'}</h2>
      <p>
        {hasTables
          ? 'Ask in your own words. You can open, change and rerun every step of the answer, and every number links to the cell that proves it.'
          : 'Drop a file anywhere on this page, or choose one. It stays in this browser, and your typed question is kept.'}
      </p>
      <Button variant={['s']} onClick={hasTables ? onAsk : onAdd}>
        {hasTables ? 'Write a question' : 'Choose files'}
      </Button>
    </div>
  )
}
