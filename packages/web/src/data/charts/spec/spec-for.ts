// Turns a drawing into a Vega-Lite spec. Names of columns and cells appear only as values and titles, fields are called
// x, y …, and the spec loads nothing.
import type { TopLevelSpec } from 'vega-lite'
import type { Drawing } from '../chart-drawing.ts'
import { barLayers } from './bar-layers.ts'
import type { ChartTheme } from './chart-theme.ts'
import { lineLayers } from './line-layers.ts'
import { pieLayers } from './pie-layers.ts'
import { scatterLayers } from './scatter-layers.ts'
import type { SpecParts } from './spec-parts.ts'

export interface SpecOptions {
  readonly theme: ChartTheme
  readonly width: number
  /** Drawn above the chart in files. On the page the frame shows the title. */
  readonly title?: string
}

export function specFor(drawing: Drawing, { theme, width, title }: SpecOptions): TopLevelSpec {
  const { layer, height, labelWidth, legend } = partsOf(drawing, theme, width)
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width,
    height,
    background: theme.surface,
    padding: { left: 4, right: 8 + labelWidth, top: 8, bottom: 4 },
    autosize: { type: 'fit-x', contains: 'padding' },
    ...(title === undefined ? {} : { title: { text: title, anchor: 'start', offset: 12 } }),
    layer: [...layer],
    config: configOf(theme, legend),
  }
}

function partsOf(drawing: Drawing, theme: ChartTheme, width: number): SpecParts {
  switch (drawing.choice.type) {
    case 'line':
      return lineLayers(drawing, theme)
    case 'pie':
      return pieLayers(drawing, theme, width)
    case 'scatter':
      return scatterLayers(drawing, theme)
    case 'bar':
    case 'table':
      return barLayers(drawing, theme, width)
  }
}

function configOf(theme: ChartTheme, legend: SpecParts['legend']): NonNullable<TopLevelSpec['config']> {
  const textStyle = {
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: 'normal' as const,
    labelColor: theme.muted,
  }
  return {
    // The frame has the label. Hundreds of labelled marks do not help screen readers.
    aria: false,
    font: theme.font,
    customFormatTypes: false,
    view: { stroke: null },
    title: { color: theme.text, fontSize: 14, fontWeight: 600 },
    axis: {
      ...textStyle,
      titleColor: theme.muted,
      gridColor: theme.line,
      domainColor: theme.base,
      tickColor: theme.base,
      labelLimit: 180,
      labelSeparation: 8,
      labelPadding: 6,
      titlePadding: 8,
    },
    legend: { ...textStyle, orient: legend, titleColor: theme.muted, labelLimit: 220, symbolSize: 80 },
  }
}
