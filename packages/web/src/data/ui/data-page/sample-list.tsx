import { Button } from '../../../components/controls/button.tsx'

interface SampleListProps {
  readonly samples: readonly { readonly title: string; readonly sentence: string }[]
  readonly disabled: boolean
  readonly onOpen: (index: number) => void
}

/** Tables made up for trying: one click, and a question is ready. */
export function SampleList({ samples, disabled, onOpen }: SampleListProps) {
  return (
    <section aria-labelledby="samples">
      <h2 id="samples" className="group">
        Or try a sample
      </h2>
      <ul className="data-rows">
        {samples.map(({ title, sentence }, index) => (
          <li key={title} className="data-row">
            <div className="grow">
              <b>{title}</b>
              <small>{sentence}</small>
            </div>
            <Button
              variant={['s']}
              disabled={disabled}
              aria-label={`Open the sample ${title}`}
              onClick={() => onOpen(index)}
            >
              Open
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
