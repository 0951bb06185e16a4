/** A fence marked `diff` gets the colours of a diff; every other language stays as it is. */
export function CodeView({ language, text }: { readonly language: string; readonly text: string }) {
  if (language !== 'diff' && language !== 'patch') {
    return (
      <pre>
        <code>{text}</code>
      </pre>
    )
  }
  return (
    <pre>
      <code>
        {text.split('\n').map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fence are only ever added at the end
          <span key={index} className={toneOf(line)}>
            {`${line}\n`}
          </span>
        ))}
      </code>
    </pre>
  )
}

function toneOf(line: string): string {
  if (/^(@@|--- |\+\+\+ )/.test(line)) return 'hunk'
  if (line.startsWith('+')) return 'add'
  return line.startsWith('-') ? 'del' : ''
}
