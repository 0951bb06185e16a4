import { Select } from '../../../../components/controls/select.tsx'
import type { ImportPlan } from '../../../domain/import-plan.ts'
import { Checkbox } from '../../controls/checkbox.tsx'
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
          <Select
            value={encoding}
            options={encodingLabels}
            onChange={(chosen) => onChange({ ...plan, encoding: chosen })}
          />
        </label>
      )}
      {delimiter !== null && (
        <label className="stack">
          <span className="label">Delimiter</span>
          <Select
            value={delimiter}
            options={{ ...delimiterLabels, [delimiter]: delimiterLabels[delimiter] ?? delimiter }}
            onChange={(chosen) => onChange({ ...plan, delimiter: chosen })}
          />
        </label>
      )}
      {hasHeader !== null && (
        <Checkbox
          className="row"
          checked={hasHeader}
          onChange={(isHeader) => onChange({ ...plan, hasHeader: isHeader })}
        >
          First row is a header
        </Checkbox>
      )}
    </div>
  )
}
