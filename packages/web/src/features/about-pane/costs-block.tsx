import { type CostRow, type Costs, findModel, formatSpent } from '@quarterdeck/protocol'
import { formatCount } from '../../ui/format-count.ts'

export function CostsBlock({ costs }: { readonly costs: Costs }) {
  return (
    <section className="block" aria-label="Cost by model">
      <div className="row">
        <h3 className="label grow">Cost by model</h3>
        <span className="muted">cache apart</span>
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
                <td title={model}>{findModel(model)?.label.replace('Claude ', '') ?? model}</td>
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
      {costs.total.hasUnpricedUsage && <p className="muted">Some requests have no price: the sum is what is known.</p>}
      {costs.total.tokens.isOutputEstimated && (
        <p className="muted">≈ An answer broke off before its count came: its tokens are estimated from the text.</p>
      )}
    </section>
  )
}

function Figures({ row }: { readonly row: CostRow }) {
  const { input, output, cacheRead, cacheWrite, isOutputEstimated } = row.tokens
  return (
    <>
      <td>{formatCount(input)}</td>
      <td>{formatCount(cacheRead + cacheWrite)}</td>
      <td>
        {isOutputEstimated && '≈ '}
        {formatCount(output)}
      </td>
      <td>{formatSpent(row)}</td>
    </>
  )
}
