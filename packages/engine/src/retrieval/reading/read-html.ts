// The visible content of HTML: headings, paragraphs, lists, tables and preformatted text. Scripts, styles and
// navigation are left out.
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, Parser } from 'parse5'
import type { DocumentBlock } from './document.ts'
import { type YieldPoint, yieldPoint } from './yield-point.ts'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

/** Throws with a message that continues the file's name. */
export function* readHtml(html: string): Generator<DocumentBlock | YieldPoint> {
  const document = yield* parseSlowly(html)
  const reader = createReader()
  // Iterative: blocks are yielded on the way down.
  const ahead: (Node | typeof endOfBlock)[] = document.childNodes.toReversed()
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (node === endOfBlock) reader.endText()
    else if (reader.read(node) === 'look inside' && 'childNodes' in node) {
      const isBlock = !inline.has(node.nodeName)
      if (isBlock) {
        reader.endText()
        ahead.push(endOfBlock)
      }
      for (const child of node.childNodes.toReversed()) ahead.push(child)
    }
    yield* reader.taken()
  }
  reader.endText()
  yield* reader.taken()
}

const endOfBlock = Symbol('the end of a block')

const sliceCharacters = 64 * 1024
/** Browsers stop at half of it. Deep nesting has quadratic cost, and unclosed markup nests repeatedly. */
const deepest = 1000

function* parseSlowly(html: string): Generator<YieldPoint, DefaultTreeAdapterTypes.Document> {
  const parser: Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> = new Parser({
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush() {
        if (parser.openElements.stackTop > deepest) throw new Error(`has markup nested more than ${deepest} deep`)
      },
    },
  })
  for (let at = 0; at < html.length; at += sliceCharacters) {
    parser.tokenizer.write(html.slice(at, at + sliceCharacters), at + sliceCharacters >= html.length)
    yield yieldPoint
  }
  return parser.document
}

const dropped = new Set(['script', 'style', 'template', 'noscript', 'nav', 'head', 'svg', 'iframe', 'object', 'select'])
const inline = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var'.split(
    ' ',
  ),
)

function createReader() {
  let blocks: DocumentBlock[] = []
  let text = ''
  let hasWords = false
  let line = 1

  function endText() {
    const words = collapse(text)
    if (words !== '') blocks.push({ type: 'text', text: words, line })
    text = ''
    hasWords = false
  }

  function append(piece: string, from: Node) {
    // Searches only the new text, because there may be very many pieces.
    if (!hasWords && piece.trim() !== '') {
      hasWords = true
      line = lineOf(from)
    }
    text += piece
  }

  function readElement(element: Element): 'done' | 'look inside' {
    const name = element.tagName
    const level = /^h([1-6])$/.exec(name)?.[1]
    if (level !== undefined) {
      endText()
      const words = collapse(textOf(element))
      if (words !== '') blocks.push({ type: 'heading', level: Number(level), text: words, line: lineOf(element) })
    } else if (name === 'table') {
      endText()
      const table = readTable(element)
      if (table !== null) blocks.push(table)
    } else if (name === 'pre') {
      endText()
      blocks.push({ type: 'code', text: element.childNodes.map(textOf).join('').trimEnd(), line: lineOf(element) })
    } else if (name === 'ul' || name === 'ol') {
      endText()
      const items = [...listItems(element, '')]
      if (items.length > 0) blocks.push({ type: 'text', text: items.join('\n'), line: lineOf(element) })
    } else if (name === 'br') append(' ', element)
    else if (name === 'img') append(` ${attribute(element, 'alt') ?? ''} `, element)
    else return 'look inside'
    return 'done'
  }

  return {
    endText,
    read(node: Node): 'done' | 'look inside' {
      if (node.nodeName === '#text' && 'value' in node) append(node.value, node)
      else if ('tagName' in node && !isHidden(node)) return readElement(node)
      return 'done'
    },
    /** The blocks completed since the last call. */
    taken(): readonly DocumentBlock[] {
      if (blocks.length === 0) return blocks
      const ended = blocks
      blocks = []
      return ended
    },
  }
}

function* listItems(list: Element, indent: string): Generator<string> {
  let number = 0
  for (const item of list.childNodes) {
    if (!('tagName' in item) || item.tagName !== 'li') continue
    number++
    const nested = item.childNodes.filter((child): child is Element => isList(child))
    const own = collapse(item.childNodes.map((child) => (isList(child) ? '' : textOf(child))).join(''))
    yield `${indent}${list.tagName === 'ol' ? `${number}.` : '-'} ${own}`
    for (const inner of nested) yield* listItems(inner, `${indent}  `)
  }
}

const isList = (node: Node): boolean => node.nodeName === 'ul' || node.nodeName === 'ol'

function readTable(table: Element): DocumentBlock | null {
  const rows = rowsOf(table).map((row) => ({
    cells: row.childNodes.filter((cell) => cell.nodeName === 'td' || cell.nodeName === 'th'),
  }))
  const texts = rows.map(({ cells }) => cells.map((cell) => collapse(textOf(cell))))
  const [first, ...rest] = texts.filter((cells) => cells.some((cell) => cell !== ''))
  if (first === undefined) return null
  return { type: 'table', header: first, rows: rest, line: lineOf(table) }
}

function rowsOf(element: Element): Element[] {
  return element.childNodes.flatMap((child) => {
    if (!('tagName' in child)) return []
    if (child.tagName === 'tr') return [child]
    return ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? rowsOf(child) : []
  })
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value
  if (!('tagName' in node) || isHidden(node)) return ''
  if (node.tagName === 'br') return ' '
  if (node.tagName === 'img') return ` ${attribute(node, 'alt') ?? ''} `
  const inner = node.childNodes.map(textOf).join('')
  return inline.has(node.tagName) ? inner : ` ${inner} `
}

const isHidden = (element: Element): boolean =>
  dropped.has(element.tagName) || attribute(element, 'hidden') !== null || attribute(element, 'aria-hidden') === 'true'

const attribute = (element: Element, name: string): string | null =>
  element.attrs.find((attr) => attr.name === name)?.value ?? null

const lineOf = (node: Node): number => node.sourceCodeLocation?.startLine ?? 1

const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
