import { CopyButton } from './copy-button.tsx'

export function CodeSample({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <div className="code">
      {code}
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  )
}
