import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Markdown } from './markdown.tsx'

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />).replace(/^<div class="md">|<\/div>$/g, '')

describe('Markdown', () => {
  it('renders paragraphs, headings, lists, quotes, tables and code', () => {
    expect(html('# One\n\ntwo **three** *four* `five`')).toBe(
      '<h3>One</h3><p>two <strong>three</strong> <em>four</em> <code>five</code></p>',
    )
    expect(html('- a\n- b\n  - c\n\n3. x\n4. y')).toBe(
      '<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol start="3"><li>x</li><li>y</li></ol>',
    )
    expect(html('> said\n\n---')).toBe('<blockquote><p>said</p></blockquote><hr/>')
    expect(html('| a | b |\n|---|---|\n| 1 | 2 |')).toBe(
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    )
    expect(html('```ts\nconst a = 1 < 2\n```')).toBe('<pre><code>const a = 1 &lt; 2</code></pre>')
  })

  it('colors a diff fence and shows a fence that is not closed yet', () => {
    expect(html('```diff\n-a\n+b')).toBe(
      '<pre><code><span class="del">-a\n</span><span class="add">+b\n</span></code></pre>',
    )
  })

  it('shows an answer that is only a JSON object as code, line by line', () => {
    expect(html('{\n  "city": "Ulm"\n}')).toBe('<pre><code>{\n  &quot;city&quot;: &quot;Ulm&quot;\n}</code></pre>')
    expect(html('{"city":"Ulm"}')).toBe('<pre><code>{\n  &quot;city&quot;: &quot;Ulm&quot;\n}</code></pre>')
    expect(html('{"id":12345678901234567890}')).toContain('12345678901234567890')
    expect(html('{"a":"\\u202e"}')).toContain('&quot;\\u202e&quot;')
    expect(html('[see](https://example.org)')).toContain('<a ')
    expect(html('{ not one')).toBe('<p>{ not one</p>')
  })

  it('leaves names with underscores and single asterisks as text', () => {
    expect(html('snake_case_name and 2 * 3 * 4')).toBe('<p>snake_case_name and 2 * 3 * 4</p>')
  })
})

describe('Markdown from a hostile model', () => {
  it('shows HTML as text', () => {
    expect(html('<script>alert(1)</script><img src=x onerror=alert(1)>')).toBe(
      '<p>&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</p>',
    )
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert`1`)',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example)',
    '![x](javascript:alert(1))',
  ])('makes no link of %s', (text) => {
    expect(html(text)).not.toMatch(/<a |<img/)
  })

  it('marks an external link and shows its host', () => {
    expect(html('[our docs](https://evil.example/x)')).toBe(
      '<p><a href="https://evil.example/x" target="_blank" rel="noopener noreferrer"><bdi>our docs</bdi><small> (evil.example)</small></a></p>',
    )
  })

  it('shows the real host when the text of a link is another address', () => {
    expect(html('[https://good.example](https://evil.example/)')).toContain('(evil.example)')
  })

  it.each([
    ['a longer name', '[github.com/login](https://github.co/login)', 'github.co'],
    ['a shorter name', '[github.com](https://github.com.evil.example/)', 'github.com.evil.example'],
    ['a user name', '[https://github.com@evil.example/](https://github.com@evil.example/)', 'evil.example'],
    ['a user name and a backslash', '[evil.example\\@github.com](https://evil.example/)', 'evil.example'],
    ['a port', '[evil.example](https://evil.example:8443/)', 'evil.example:8443'],
    ['a port in the words only', '[evil.example:8443](https://evil.example/)', 'evil.example'],
    ['letters of another alphabet', '[https://\u0430pple.com](https://\u0430pple.com/)', 'xn--pple-43d.com'],
    ['a dot at the end', '[github.com](https://github.com./)', 'github.com.'],
    ['words after the host', '[github.com login](https://github.com/)', 'github.com'],
  ])('shows the host of a link whose text differs from it by %s', (_how, link, host) => {
    expect(html(link)).toContain(`<small> (${host})</small>`)
  })

  it('shows the host of a bare address that hides it', () => {
    expect(html('https://github.com@evil.example/')).toContain('<small> (evil.example)</small>')
    expect(html('https://\u0430pple.com/')).toContain('<small> (xn--pple-43d.com)</small>')
  })

  it.each([
    ['good.example', 'https://good.example/x'],
    ['https://good.example/x?y', 'https://good.example/'],
    ['HTTPS://Good.Example', 'https://good.example/'],
    ['xn--pple-43d.com', 'https://xn--pple-43d.com/'],
    ['good.example:8443/x', 'https://good.example:8443/x'],
  ])('does not repeat the host of %s', (text, href) => {
    expect(html(`[${text}](${href})`)).not.toContain('<small>')
  })

  it.each([
    'https://good.example',
    'see https://good.example now',
    '**https://good.example**',
    '~~*https://good.example*~~',
  ])('makes one link, not two, of a link with the text %s', (text) => {
    expect(html(`[${text}](https://evil.example/)`).match(/<a /g)).toHaveLength(1)
  })

  it('loads no remote image', () => {
    const shown = html('![cat](https://tracker.example/p.png?who=ana)')
    expect(shown).not.toContain('<img')
    expect(shown).toContain('Image not loaded: <bdi>cat</bdi>')
  })

  it.each([
    ['quotes', '>'.repeat(20_000)],
    ['lists', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n')],
    ['brackets', '['.repeat(50_000)],
    ['links', '[a]('.repeat(20_000)],
    ['stars', '*a '.repeat(20_000)],
    ['bold', '**'.repeat(20_000)],
    ['ticks', '`'.repeat(50_000)],
    ['bars', '|'.repeat(20_000)],
    ['addresses', 'http://'.repeat(10_000)],
  ])('parses huge %s in linear time', (_name, text) => {
    expect(html(text).length).toBeGreaterThan(0)
  })
})
