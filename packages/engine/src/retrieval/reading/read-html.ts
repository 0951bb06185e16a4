// HTML as people see it: headings, paragraphs, lists, tables and preformatted text; scripts, styles and navigation are
// not part of a document.
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { Block } from './document.ts'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

export function readHtml(html: string): Block[] {
  const reader = createReader()
  for (const child of parse(html, { sourceCodeLocationInfo: true }).childNodes) reader.read(child)
  return reader.end()
}

const dropped = new Set(['script', 'style', 'template', 'noscript', 'nav', 'head', 'svg', 'iframe', 'object', 'select'])
const inline = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var'.split(
    ' ',
  ),
)

function createReader() {
  const blocks: Block[] = []
  let text = ''
  let line = 1

  function endText() {
    const words = collapse(text)
    if (words !== '') blocks.push({ type: 'text', text: words, line })
    text = ''
  }

  function append(piece: string, from: Node) {
    if (text.trim() === '' && piece.trim() !== '') line = lineOf(from)
    text += piece
  }

  function read(node: Node) {
    if (node.nodeName === '#text' && 'value' in node) append(node.value, node)
    else if ('tagName' in node && !isHidden(node)) readElement(node)
  }

  function readElement(element: Element) {
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
      const items = listItems(element, '')
      if (items.length > 0) blocks.push({ type: 'text', text: items.join('\n'), line: lineOf(element) })
    } else if (name === 'br') append(' ', element)
    else if (name === 'img') append(` ${attribute(element, 'alt') ?? ''} `, element)
    else readChildren(element)
  }

  function readChildren(element: Element) {
    const isBlock = !inline.has(element.tagName)
    if (isBlock) endText()
    for (const child of element.childNodes) read(child)
    if (isBlock) endText()
  }

  return {
    read,
    end(): Block[] {
      endText()
      return blocks
    },
  }
}

function listItems(list: Element, indent: string): string[] {
  const items: string[] = []
  let number = 0
  for (const item of list.childNodes) {
    if (!('tagName' in item) || item.tagName !== 'li') continue
    number++
    const nested = item.childNodes.filter((child): child is Element => isList(child))
    const own = collapse(item.childNodes.map((child) => (isList(child) ? '' : textOf(child))).join(''))
    items.push(`${indent}${list.tagName === 'ol' ? `${number}.` : '-'} ${own}`)
    for (const inner of nested) items.push(...listItems(inner, `${indent}  `))
  }
  return items
}

const isList = (node: Node): boolean => node.nodeName === 'ul' || node.nodeName === 'ol'

function readTable(table: Element): Block | null {
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
