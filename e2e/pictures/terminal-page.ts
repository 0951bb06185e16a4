// Renders terminal output as a page for pictures.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from '../support/browser/browser.ts'

const fromWeb = createRequire(new URL('../../packages/web/package.json', import.meta.url))
const fontParts = ['latin', 'symbols2']

/** The escape codes that the command writes. */
const styles: Readonly<Record<string, string>> = {
  1: 'font-weight: 700',
  2: 'color: #7d8590',
  31: 'color: #ff7b72',
  32: 'color: #56d364',
  33: 'color: #d9a441',
  36: 'color: #39c5cf',
}

/** The page grows to the size of the text. */
export async function showTerminal(page: Page, coloredText: string): Promise<void> {
  const faces = await Promise.all(fontParts.map(fontFace))
  await page.setContent(`<style>${faces.join('')}
    body { margin: 0; background: #161b22; color: #e6edf3 }
    main { padding: 24px; width: max-content; font: 13px/19px ${fontParts.join()}, 'DejaVu Sans Mono', monospace }
    p { margin: 0; min-height: 19px; white-space: pre }
  </style><main><p>${toHtml(coloredText)}</p></main>`)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  const box = await page.locator('main').boundingBox()
  if (box === null) throw new Error('the terminal is not drawn')
  await page.setViewportSize({ width: Math.ceil(box.width), height: Math.ceil(box.height) })
}

async function fontFace(part: string): Promise<string> {
  const file = fromWeb.resolve(`@fontsource-variable/geist-mono/files/geist-mono-${part}-wght-normal.woff2`)
  const data = await readFile(file, 'base64')
  return `@font-face { font-family: ${part}; font-weight: 100 900; src: url(data:font/woff2;base64,${data}) }`
}

// Not a literal, because linters reject control characters in regular expressions.
const colorCode = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`)

/** Each line is a paragraph, so that the accessibility snapshot has lines too. */
function toHtml(text: string): string {
  let active: readonly string[] = []
  const parts = text.replace(/[ \t]+$/gm, '').split(colorCode)
  // Alternates text and codes.
  return parts
    .map((part, index) => {
      if (index % 2 === 1) {
        for (const code of part.split(';')) active = isReset(code) ? [] : [...active, code]
        return ''
      }
      const style = active.map((code) => styles[code] ?? '').join(';')
      const lines = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').split('\n')
      return lines.map((line) => `<span style="${style}">${line}</span>`).join('</p><p>')
    })
    .join('')
}

const isReset = (code: string) => code === '' || code === '0' || code === '39' || code === '22'
