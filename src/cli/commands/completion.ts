import { defineCommand, exitCodes } from '../command.ts'
import { commandOutlines } from '../command-outlines.ts'
import { commands } from '../commands.ts'
import { completionScript, type Shell, shells } from '../completion.ts'

export const command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  args: [{ name: 'SHELL', summary: 'Shell to generate the script for', takes: 'one', choices: shells }],
  options: {},
  examples: [
    { command: 'source <(berth completion bash)', summary: 'Enable completion in the current bash' },
    { command: 'berth completion zsh > $fpath[1]/_berth', summary: 'Enable completion in every new zsh' },
    {
      command: 'berth completion fish > ~/.config/fish/completions/berth.fish',
      summary: 'Enable completion in every new fish',
    },
  ],
  run: async ({ args, stdout }) => {
    stdout.write(completionScript(args[0] as Shell, await commandOutlines(commands)))
    return exitCodes.done
  },
})
