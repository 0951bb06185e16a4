import type { ImportPlan } from '../../../domain/import-plan.ts'
import { delimiterLabels, encodingLabels } from '../state/import-labels.ts'

interface ReviewFormatProps {
  readonly plan: ImportPlan
  /** Called with other options: names and types must be detected again. */
  readonly onChange: (plan: ImportPlan) => void
}

/** How the bytes are read; shows only options of this format. */
export function ReviewFormat({ plan, onChange }: ReviewFormatProps) {
  const { encoding, delimiter, hasHeader } = plan
  if (encoding === null && delimiter === null && hasHeader === null) return null
  return (
    <div className="review-format">
      {encoding !== null && (
        <label className="stack">
          <span className="label">Encoding</span>
          <select
            className="field"
            value={encoding}
            onChange={({ target }) => {
              const chosen = encodings.find((one) => one === target.value)
              if (chosen !== undefined) onChange({ ...plan, encoding: chosen })
            }}
          >
            {encodings.map((one) => (
              <option key={one} value={one}>
                {encodingLabels[one]}
              </option>
            ))}
          </select>
        </label>
      )}
      {delimiter !== null && (
        <label className="stack">
          <span className="label">Delimiter</span>
          <select
            className="field"
            value={delimiter}
            onChange={({ target }) => onChange({ ...plan, delimiter: target.value })}
          >
            {[...new Set([...Object.keys(delimiterLabels), delimiter])].map((one) => (
              <option key={one} value={one}>
                {delimiterLabels[one] ?? one}
              </option>
            ))}
          </select>
        </label>
      )}
      {hasHeader !== null && (
        <label className="row">
          <input
            type="checkbox"
            checked={hasHeader}
            onChange={({ target }) => onChange({ ...plan, hasHeader: target.checked })}
          />
          First row is a header
        </label>
      )}
    </div>
  )
}

const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
