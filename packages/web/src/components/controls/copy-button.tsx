import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), 1500)
    } catch {
      // Without clipboard permission, the user can still select the text by hand.
      setCopied(false)
    }
  }

  return (
    <Button variant={['s', 'quiet', 'square']} aria-label={isCopied ? 'Copied' : label} onClick={() => void copy()}>
      {isCopied ? <Check className="icon s" /> : <Copy className="icon s" />}
    </Button>
  )
}
