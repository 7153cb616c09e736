import { type AuthorizationMode, readAuthorizationModes } from '../apiserver/access/authorizers.ts'
import { text, wrongQuestion } from './command.ts'

/** The authorization mode of the API server. The name is that of kube-apiserver's flag. */
export const authorizationOptions = {
  authorizationMode: text({
    summary: 'Authorizers in the order of their evaluation, separated by commas: AlwaysAllow, AlwaysDeny, Node, RBAC',
    value: 'LIST',
    default: 'AlwaysAllow',
  }),
} as const

export function authorizationModes({ authorizationMode }: { readonly authorizationMode: string }) {
  const modes = readAuthorizationModes(authorizationMode)
  if (!modes.ok) throw wrongQuestion(modes.message)
  return modes.value as readonly AuthorizationMode[]
}
