import { Download } from 'lucide-react'
import { useState } from 'react'
import { downloadFile } from '../../../components/controls/download-file.ts'
import { Menu } from '../../../components/controls/menu.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import type { Drawing } from '../../charts/chart-drawing.ts'
import { toPng, toSvg } from '../../charts/render-chart.ts'
import { plainFont, readChartTheme } from '../../charts/spec/chart-theme.ts'
import { specFor } from '../../charts/spec/spec-for.ts'
import { exportCsv } from '../../export/export-csv.ts'
import { fileName } from '../../export/file-name.ts'

/** `page`: the current theme · `white`: for paper and mail · `none`: transparent. */
const grounds = { page: 'As shown', white: 'White', none: 'None' } as const
type ChartGround = keyof typeof grounds

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
                <label className="row menu-field">
                  Background
                  <Select value={ground} options={grounds} onChange={setGround} />
                </label>
                <button type="button" onClick={choose(() => void run(() => savePng(file)))}>
                  Image (PNG)
                </button>
                <button type="button" onClick={choose(() => void run(() => saveSvg(file)))}>
                  Drawing (SVG)
                </button>
                <button type="button" onClick={choose(() => saveSpec(file))}>
                  Vega-Lite spec (JSON)
                </button>
              </>
            )}
            <button type="button" onClick={choose(() => exportCsv(drawing.table, title))}>
              Numbers (CSV)
            </button>
          </>
        )}
      </Menu>
      {failure !== null && (
        <span className="caption failure" role="alert">
          Not saved
        </span>
      )}
    </>
  )
}

interface ChartFile {
  readonly drawing: Drawing
  readonly title: string
  readonly ground: ChartGround
}

const width = 800

async function savePng(file: ChartFile): Promise<void> {
  downloadFile(fileName(file.title, 'png'), [await toPng(fileSpec(file))], 'image/png')
}

async function saveSvg(file: ChartFile): Promise<void> {
  downloadFile(fileName(file.title, 'svg'), [await toSvg(fileSpec(file, plainFont))], 'image/svg+xml')
}

const saveSpec = (file: ChartFile): void =>
  downloadFile(
    fileName(file.title, 'vl.json'),
    [`${JSON.stringify(fileSpec(file, plainFont), null, 2)}\n`],
    'application/json',
  )

function fileSpec({ drawing, title, ground }: ChartFile, font?: string) {
  const page = ground === 'white' ? { ...readChartTheme('light'), surface: '#ffffff' } : readChartTheme()
  const theme = { ...page, font: font ?? page.font }
  const spec = specFor(drawing, { theme, width, title })
  return ground === 'none' ? { ...spec, background: 'transparent' } : spec
}
