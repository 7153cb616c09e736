import { definePlugin } from '../../contract/contract.ts'

export const defaultBinder = definePlugin({
  name: 'DefaultBinder',
  bind: () => 'binding',
})
