import { expect, it } from 'vitest'
import { markdownHtml } from './markdown-html.ts'

it('keeps the formatting of an answer and escapes everything else', () => {
  const html = markdownHtml(
    ['**14.8 %** of <b>x</b>', '', '- one', '- `a<b`', '', '| a | b |', '|---|---|', '| 1 | 2 |'].join('\n'),
  )
  expect(html).toContain('<p><strong>14.8 %</strong> of &lt;b&gt;x&lt;/b&gt;</p>')
  expect(html).toContain('<li><p><code>a&lt;b</code></p></li>')
  expect(html).toContain('<tr><td>1</td><td>2</td></tr>')
})

it('contains no links and loads nothing', () => {
  const html = markdownHtml(
    '[go](https://example.com/x) ![p](https://example.com/p.png) [j](javascript:alert(1)) <img src=x>',
  )
  expect(html).not.toMatch(/<a|<img|href|src="/)
  expect(html).toContain('go (https://example.com/x)')
})
