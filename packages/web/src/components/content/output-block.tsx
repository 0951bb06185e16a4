import { outputExcerpt, visibleText } from '@quarterdeck/protocol'
import { useState } from 'react'
import { Button } from '../controls/button.tsx'

const shownLines = 16

/** The output of a tool. A long output shows its failing lines, or its beginning and end. */
export function OutputBlock({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const whole = visibleText(withoutColor(text)).replace(/\n+$/, '')
  const lines = whole.split('\n')
  const isCut = !isWhole && lines.length > shownLines
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="out scroll" aria-label="Output" tabIndex={0}>
        {(isCut ? outputExcerpt(whole, shownLines).join('\n') : whole) || <span className="dim">No output</span>}
      </section>
      {isCut && (
        <div className="row out-foot caption">
          <span className="grow">Part of the output</span>
          <Button variant={['s', 'quiet']} onClick={() => setWhole(true)}>
            Show all {lines.length} lines
          </Button>
        </div>
      )}
    </>
  )
}

/** Removes terminal colors: they would appear as escape codes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts each of them
const withoutColor = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '')
