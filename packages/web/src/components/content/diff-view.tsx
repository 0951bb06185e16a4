import { visibleText } from '@quarterdeck/protocol'
import { memo } from 'react'

interface DiffLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
  readonly number: number | null
}

const tones = { '+': 'add', '-': 'del', ' ': '' } as const
const marks = { '+': '+', '-': '−', ' ': ' ' } as const

/** The sign column is always shown, line numbers only when they are known. */
export const DiffView = memo(function DiffView({ lines }: { readonly lines: readonly DiffLine[] }) {
  const isNumbered = lines.some((line) => line.number !== null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={isNumbered ? 'diff scroll' : 'diff unnumbered scroll'} aria-label="Changes" tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change their order
        <div key={index} className={tones[line.sign]}>
          {isNumbered && <span>{line.number}</span>}
          <span>{marks[line.sign]}</span>
          <span>{visibleText(line.text)}</span>
        </div>
      ))}
    </section>
  )
})
