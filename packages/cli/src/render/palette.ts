// Colours for a terminal; none without a terminal or with NO_COLOR.
export type Palette = ReturnType<typeof paletteFor>

export function paletteFor(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>) {
  const isColoured = stream.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb'
  const paint = (code: string) => (text: string) => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text)
  return {
    isColoured,
    dim: paint('2'),
    bold: paint('1'),
    italic: paint('3'),
    underline: paint('4'),
    struck: paint('9'),
    accent: paint('36'),
    warning: paint('33'),
    good: paint('32'),
    bad: paint('31'),
  }
}
