import type { EffectClass } from '@quarterdeck/protocol'
import { TriangleAlert } from 'lucide-react'

const labels: Readonly<Record<EffectClass, string>> = {
  read: 'Reads',
  write: 'Writes',
  network: 'Network',
  spend: 'Spends money',
  irreversible: 'Irreversible',
}

export function EffectChips({ effects }: { readonly effects: readonly EffectClass[] }) {
  return effects.map((effect) => (
    <span key={effect} className={effect === 'irreversible' ? 'chip failed' : 'chip'}>
      {effect === 'irreversible' && <TriangleAlert className="icon s" aria-hidden="true" />}
      {labels[effect]}
    </span>
  ))
}
