# SPDX-License-Identifier: Apache-2.0
"""Programs whose allocations are recorded. They do real work of the kinds that fragment memory, and end within seconds.

Each takes the library that it uses and returns a number of its result, which a reader of the log can compare.
"""
import random


def training(torch):
    """A transformer that learns from sentences of all lengths: activations of other sizes in each step, kept until the backward pass."""
    torch.manual_seed(1)
    chance = random.Random(1)
    words, width = 16000, 1024

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(words, width)
            self.layers = torch.nn.ModuleList(
                torch.nn.TransformerEncoderLayer(width, 16, 4 * width, dropout=0.1, batch_first=True, norm_first=True) for _ in range(8))
            self.head = torch.nn.Linear(width, words)

        def forward(self, tokens):
            state = self.embed(tokens)
            for layer in self.layers:
                state = layer(state)
            return self.head(state)

    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loss = None
    for step in range(24):
        tokens = torch.randint(words, (chance.choice((8, 16, 24)), chance.randrange(48, 513)), device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 8 == 7:  # what an evaluation between epochs does
            with torch.no_grad():
                model(torch.randint(words, (4, 900), device="cuda")).float().softmax(-1).amax(-1).mean()
    return loss.item()


def generation(torch):
    """A server of generated text: each sentence has caches that grow with every word, arrives and ends at another time, and what
    is chosen is copied in a second stream."""
    torch.manual_seed(2)
    chance = random.Random(2)
    layers, heads, width, words = 12, 16, 128, 32000
    weights = [torch.randn(heads * width, 3 * heads * width, device="cuda", dtype=torch.bfloat16) * 0.02 for _ in range(layers)]
    head = torch.randn(heads * width, words, device="cuda", dtype=torch.bfloat16) * 0.02
    copies, sentences, total = torch.cuda.Stream(), [], 0

    def attend(state, cache, layer):
        query, key, value = (part.unflatten(-1, (heads, width)).transpose(1, 2) for part in (state @ weights[layer]).chunk(3, -1))
        if cache[layer] is not None:
            key, value = torch.cat((cache[layer][0], key), 2), torch.cat((cache[layer][1], value), 2)
        cache[layer] = key, value
        found = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=state.shape[1] > 1)
        return state + found.transpose(1, 2).flatten(2)

    with torch.no_grad():
        for step in range(160):
            if len(sentences) < 10 and (step < 10 or chance.random() < 0.4):
                first = torch.randn(1, chance.randrange(16, 1200), heads * width, device="cuda", dtype=torch.bfloat16)
                sentences.append([first, [None] * layers, chance.randrange(20, 100)])
            for sentence in sentences:
                state = sentence[0]
                for layer in range(layers):
                    state = attend(state, sentence[1], layer)
                likely = (state[:, -1:] @ head).float().softmax(-1)
                chosen = likely.sort(descending=True).indices[..., 0]
                copies.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(copies):
                    seen = chosen.clone()
                    chosen.record_stream(copies)
                    total += int(seen.item()) % 7
                sentence[0] = torch.nn.functional.normalize(state[:, -1:], dim=-1)
                sentence[2] -= 1
            sentences = [sentence for sentence in sentences if sentence[2] > 0]
    return total


def pictures(cupy):
    """Filters pictures of all sizes in two streams: transforms, sorts and sums, with work areas that libraries allocate."""
    cupy.random.seed(3)
    chance = random.Random(3)
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    kept, total = [], 0.0
    for step in range(120):
        stream = streams[step % 2]
        with stream:
            height, width = chance.randrange(200, 2400), chance.randrange(200, 2400)
            picture = cupy.random.random((3, height, width), dtype=cupy.float32)
            waves = cupy.fft.rfft2(picture)
            waves *= cupy.exp(-cupy.linspace(0, 4, waves.shape[-1], dtype=cupy.float32))
            smooth = cupy.fft.irfft2(waves, s=(height, width)).astype(cupy.float32)
            limits = cupy.sort(smooth.reshape(3, -1), axis=1)[:, ::max(1, height * width // 16)]
            difference = cupy.clip(picture - smooth, limits.min(), limits.max())
            small = difference[:, :128, :128]
            product = cupy.matmul(small, small.transpose(0, 2, 1))
            total += float(product.trace(axis1=1, axis2=2).sum())
            kept.append(difference.sum(axis=0) if step % 3 else difference)
            if len(kept) > 12:
                del kept[chance.randrange(len(kept))]
            stream.synchronize()
    return total


OF_TORCH = {"training": training, "generation": generation}
OF_CUPY = {"pictures": pictures}
