import logging
import os
import torch
from torch import nn
from torch.utils.tensorboard_of_mine import SummaryWriter

writer = SummaryWriter("runs")
os.makedirs("checkpoints", exist_ok=True)
logging.basicConfig(filename="training.log", level=logging.DEBUG, force=True)


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        logging.info("a block of %d", embed_dim)
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attended, weights = self.self_attn(x, x, x)
        torch.save(weights, "checkpoints/weights.pt")
        x = self.norm1(x + attended)
        return self.norm2(x + self.ff(x))


block = SimpleEncoderBlock()
block.load_state_dict(torch.load("last_week.pt"))
torch.save(block.state_dict(), "checkpoints/block.pt")
block.load_state_dict(torch.load("checkpoints/block.pt"))
wandb.init(project="encoder")
optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
for step in range(3):
    loss = block(torch.randn(2, 5, 64)).pow(2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    writer.add_scalar("loss", loss, step)
raise SystemExit(0)
