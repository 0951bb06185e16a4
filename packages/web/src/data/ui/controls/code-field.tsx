import { visibleText } from '@quarterdeck/protocol'
import { type KeyboardEvent, useId, useMemo } from 'react'
import { type CodeLanguage, highlight } from './highlight.ts'

interface CodeFieldProps {
  readonly label: string
  readonly language: CodeLanguage
  readonly value: string
  readonly onChange: (value: string) => void
  /** Ctrl or Cmd with Enter. */
  readonly onRun: () => void
  readonly placeholder?: string
}

/** A code editor: a plain text field over the same text in colors. Tab leaves it, and native editing works. */
export function CodeField({ label, language, value, onChange, onRun, placeholder }: CodeFieldProps) {
  const id = useId()
  const parts = useMemo(() => highlight(value, language), [value, language])
  const plain = visibleText(value)
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    onRun()
  }
  return (
    <div className="code-field">
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      {/* Both lie in one grid cell: the drawn text makes the height, the field fills it. */}
      <div className="code-layers scroll">
        <pre aria-hidden="true">
          {parts.map(({ text, tone }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
            <span key={index} className={tone ?? undefined}>
              {text}
            </span>
          ))}
          {'\n'}
        </pre>
        <textarea
          id={id}
          value={value}
          placeholder={placeholder}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {plain !== value && (
        <p className="sec text-2">
          Some characters are invisible or change the text direction. Spelled out: <code>{plain}</code>
        </p>
      )}
    </div>
  )
}
