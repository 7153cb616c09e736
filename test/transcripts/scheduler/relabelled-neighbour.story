# A neighbour that is kept at a distance changes its labels.
node n1 cpu=4
pod loud cpu=1 labels=app:loud
pod quiet cpu=1 far=loud
advance 10s
relabel loud app=calm
