import { Download } from 'lucide-react'
import { useState } from 'react'
import { Menu } from '../../../components/controls/menu.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import type { Drawing } from '../../charts/drawing-of.ts'
import { type ChartGround, saveCsv, savePng, saveSpec, saveSvg } from './chart-files.ts'

const grounds: readonly (readonly [ground: ChartGround, caption: string])[] = [
  ['page', 'As shown'],
  ['white', 'White'],
  ['none', 'None'],
]

/** Saves the chart as a file. A table or a single figure has its numbers only. */
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
                    {grounds.map(([name, caption]) => (
                      <option key={name} value={name}>
                        {caption}
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
