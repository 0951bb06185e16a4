// Colors for a terminal; none without a terminal or with NO_COLOR.
export type Palette = ReturnType<typeof paletteFor>

export function paletteFor(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>) {
  const isColored = stream.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb'
  const paint = (code: string) => (text: string) => (isColored ? `\u001B[${code}m${text}\u001B[0m` : text)
  return {
    isColored,
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
