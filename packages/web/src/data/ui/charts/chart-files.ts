import { downloadFile } from '../../../components/controls/download-file.ts'
import type { Drawing } from '../../charts/drawing-of.ts'
import { toPng, toSvg } from '../../charts/render-chart.ts'
import { plainFont, readChartTheme } from '../../charts/spec/chart-theme.ts'
import { specFor } from '../../charts/spec/spec-for.ts'
import { fileName } from '../../export/file-name.ts'
import { toCsv } from '../../export/to-csv.ts'

/** `page`: the current theme · `white`: for paper and mail · `none`: transparent. */
export type ChartGround = 'page' | 'white' | 'none'

export interface ChartFile {
  readonly drawing: Drawing
  readonly title: string
  readonly ground: ChartGround
}

const width = 800

export async function savePng(file: ChartFile): Promise<void> {
  downloadFile(fileName(file.title, 'png'), [await toPng(fileSpec(file))], 'image/png')
}

export async function saveSvg(file: ChartFile): Promise<void> {
  downloadFile(fileName(file.title, 'svg'), [await toSvg(fileSpec(file, plainFont))], 'image/svg+xml')
}

export const saveSpec = (file: ChartFile): void =>
  downloadFile(
    fileName(file.title, 'vl.json'),
    [`${JSON.stringify(fileSpec(file, plainFont), null, 2)}\n`],
    'application/json',
  )

export const saveCsv = ({ drawing, title }: Pick<ChartFile, 'drawing' | 'title'>): void =>
  downloadFile(fileName(title, 'csv'), [toCsv(drawing.table, { hasMark: true })], 'text/csv')

function fileSpec({ drawing, title, ground }: ChartFile, font?: string) {
  const page = ground === 'white' ? { ...readChartTheme('light'), surface: '#ffffff' } : readChartTheme()
  const theme = { ...page, font: font ?? page.font }
  const spec = specFor(drawing, { theme, width, title })
  return ground === 'none' ? { ...spec, background: 'transparent' } : spec
}
