import {
  type CostRow,
  type Costs,
  findModel,
  formatSaved,
  formatSpent,
  formatSpentOfLimit,
  formatUnits,
} from '@quarterdeck/protocol'
import { shortCount } from '../../../components/format/short-count.ts'
import type { SpendingProjection } from '../../../stores/session/spending-projection.ts'

export function CostsBlock({ costs, money }: { readonly costs: Costs; readonly money: SpendingProjection }) {
  const saved = formatSaved(costs.total)
  return (
    <section className="block" aria-label="Cost by model">
      <div className="row">
        <h3 className="label grow">Cost by model</h3>
        <span className="muted">cache shown separately</span>
      </div>
      {costs.total.requests === 0 ? (
        <p className="muted">No model request yet.</p>
      ) : (
        <table className="mini">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">In</th>
              <th scope="col">Cached</th>
              <th scope="col">Out</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {[...costs.byModel].map(([model, row]) => (
              <tr key={model}>
                <td title={model}>{shortModel(model)}</td>
                <Figures row={row} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td>Total</td>
              <Figures row={costs.total} />
            </tr>
          </tfoot>
        </table>
      )}
      {costs.total.requests > 0 && (
        <p className="muted num">
          {formatUnits(costs.total.units)}
          {saved !== '' && (costs.total.savedUsd > 0 ? ` · ${saved} compared to high` : ` · ${saved}`)}
        </p>
      )}
      <Choices choices={money.choices} />
      <Warnings warnings={money.warnings} />
      {costs.total.hasUnpricedUsage && (
        <p className="muted">Some requests have no known price. The total does not include them.</p>
      )}
      {costs.total.tokens.isOutputEstimated && (
        <p className="muted">
          ≈ A response was cut off before its token count arrived. Its tokens are estimated from the text.
        </p>
      )}
    </section>
  )
}

const shortModel = (model: string): string => findModel(model)?.label.replace('Claude ', '') ?? model
const shownChoices = 5

/** The model chosen for each turn and the reason. Only the newest choices are listed. */
function Choices({ choices }: Pick<SpendingProjection, 'choices'>) {
  if (choices.length === 0) return null
  const first = Math.max(0, choices.length - shownChoices)
  return (
    <details className="choices" open>
      <summary className="muted">
        Chosen automatically, {choices.length === 1 ? '1 turn' : `${choices.length} turns`}
      </summary>
      <ol>
        {choices.slice(first).map(({ seq, model, reason }, index) => (
          <li key={seq}>
            <span className="muted num">{first + index + 1}</span> <b>{shortModel(model)}</b>{' '}
            <span className="muted">{reason}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}

function Warnings({ warnings }: Pick<SpendingProjection, 'warnings'>) {
  return warnings.map(({ seq, warning }) => (
    <p className="warning" key={seq}>
      {Math.round((100 * warning.spent) / warning.limit)} % of{' '}
      {warning.budget === 'session' ? 'this session’s budget' : `the budget of ${warning.budget}`} was used:{' '}
      {formatSpentOfLimit(warning)}
    </p>
  ))
}

function Figures({ row }: { readonly row: CostRow }) {
  const { input, output, cacheRead, cacheWrite, isOutputEstimated } = row.tokens
  return (
    <>
      <td>{shortCount(input)}</td>
      <td>{shortCount(cacheRead + cacheWrite)}</td>
      <td>
        {isOutputEstimated && '≈ '}
        {shortCount(output)}
      </td>
      <td>{formatSpent(row)}</td>
    </>
  )
}
