import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { CodeField } from './code-field.tsx'

const shown = (value: string) =>
  renderToStaticMarkup(<CodeField label="SQL" language="sql" value={value} onChange={() => {}} onRun={() => {}} />)

it('spells out invisible and bidirectional characters, and shows nothing for other code', () => {
  expect(shown("SELECT '\u202eabc'")).toContain('Spelled out: <code>SELECT &#x27;\\u202eabc&#x27;</code>')
  expect(shown('SELECT 1\n\tFROM t')).not.toContain('Spelled out')
})
