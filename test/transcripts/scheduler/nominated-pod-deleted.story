# A nominated pod that is deleted frees what was promised to it.
priority high 100
node n1 cpu=2
pod promised cpu=2 priority=high gate=later
nominate promised n1
pod small cpu=2
advance 20s
gone promised
