// Checks what screen reader users depend on: names, labels and a heading outline.
import type { Page } from './browser.ts'

/** One sentence per element without a name. Empty for a good page. */
export const unnamedElements = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const isShown = (element: Element) => element.checkVisibility() && element.closest('[aria-hidden="true"]') === null
    const shown = (selector: string) => [...document.querySelectorAll(selector)].filter(isShown)
    const nameOf = (element: Element) => {
      const byId = (element.getAttribute('aria-labelledby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
      const own = element.getAttribute('aria-label') ?? element.textContent ?? ''
      return (byId.join('') + own).trim()
    }
    const outline = (element: Element) => element.outerHTML.slice(0, 120)
    const problems: string[] = []
    for (const element of shown('button, a[href], summary')) {
      if (nameOf(element) === '') problems.push(`no name: ${outline(element)}`)
    }
    for (const element of shown('input, select, textarea')) {
      const labels = (element as HTMLInputElement).labels?.length ?? 0
      if (labels === 0 && nameOf(element) === '') problems.push(`no label: ${outline(element)}`)
    }
    for (const image of shown('img')) if (!image.hasAttribute('alt')) problems.push(`no alt: ${outline(image)}`)
    let level = 0
    for (const heading of shown('h1, h2, h3, h4, h5, h6')) {
      const next = Number(heading.tagName.slice(1))
      if (next > level + 1) problems.push(`h${level} is followed by h${next}: ${outline(heading)}`)
      level = next
    }
    if (shown('h1').length !== 1) problems.push(`${shown('h1').length} headings of the first level`)
    if (shown('main').length !== 1) problems.push(`${shown('main').length} main elements`)
    if (document.documentElement.lang === '') problems.push('the page does not say its language')
    if (document.title === '') problems.push('the page has no title')
    return problems
  })
