import { Button } from '../../../components/controls/button.tsx'
import type { SmallButtonProps } from './small-button.tsx'

/** Beside a more important button. */
export const QuietButton = (props: SmallButtonProps) => <Button variant={['s', 'quiet']} {...props} />
