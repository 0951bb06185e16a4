/** A fence marked `diff` gets diff colours. Other languages are not highlighted. */
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
