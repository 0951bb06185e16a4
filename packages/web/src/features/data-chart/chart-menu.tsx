import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Drawing } from '../../analysis/chart/drawing-of.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Menu } from '../../ui/menu.tsx'
import { type ChartGround, saveCsv, savePng, saveSpec, saveSvg } from './chart-files.ts'

const grounds: readonly (readonly [ground: ChartGround, words: string])[] = [
  ['page', 'As shown'],
  ['white', 'White'],
  ['none', 'None'],
]

/** The chart as a file. A table or a single figure is its numbers alone. */
export function ChartMenu({ drawing, title }: { readonly drawing: Drawing; readonly title: string }) {
  const [ground, setGround] = useState<ChartGround>('page')
  const { run, failure } = useAction()
  const file = { drawing, title, ground }
  return (
    <>
      <Menu label="Save the chart" icon={<Download className="icon s" aria-hidden="true" />}>
        {(choose) => (
          <>
            {drawing.kind === 'marks' && (
              <>
                <label className="menu-field">
                  Background
                  <select
                    className="field"
                    value={ground}
                    onChange={({ target }) => setGround(grounds.find(([name]) => name === target.value)?.[0] ?? 'page')}
                  >
                    {grounds.map(([name, words]) => (
                      <option key={name} value={name}>
                        {words}
                      </option>
                    ))}
                  </select>
                </label>
                <button type="button" onClick={choose(() => void run(() => savePng(file)))}>
                  Picture (PNG)
                </button>
                <button type="button" onClick={choose(() => void run(() => saveSvg(file)))}>
                  Drawing (SVG)
                </button>
                <button type="button" onClick={choose(() => saveSpec(file))}>
                  Vega-Lite spec (JSON)
                </button>
              </>
            )}
            <button type="button" onClick={choose(() => saveCsv(file))}>
              Numbers (CSV)
            </button>
          </>
        )}
      </Menu>
      {failure !== null && (
        <span className="problem" role="alert">
          Not saved
        </span>
      )}
    </>
  )
}
