import type { ComponentProps } from 'react'
import { Button } from '../../../components/controls/button.tsx'

export type SmallButtonProps = Omit<ComponentProps<typeof Button>, 'variant'>

/** The usual button of Data, where space is short. */
export const SmallButton = (props: SmallButtonProps) => <Button variant={['s']} {...props} />
