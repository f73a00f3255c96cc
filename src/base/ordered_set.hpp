// SPDX-License-Identifier: Apache-2.0
// Nodes of the caller's own, in the order of their keys. Every operation takes O(log n) steps, in whatever order the nodes come:
// the tree is a heap of random ranks, so its depth does not depend on the keys (a treap).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gs {

// A node derives from it. While a set has the node, its key() stays the same and differs from that of all others in the set.
template <typename Node>
struct Ordered {
    Node *left = nullptr;
    Node *right = nullptr;
    uint64_t rank = 0; // of the nodes below a node none has a higher one
};

template <typename Node>
class OrderedSet {
public:
    bool empty() const noexcept { return root_ == nullptr; }
    size_t size() const noexcept { return size_; }
    // Any node; nullptr: there is none.
    Node *top() const noexcept { return root_; }
    Node *first() const noexcept { return outermost(&Node::left); }
    Node *last() const noexcept { return outermost(&Node::right); }

    // The first node whose key is not below the given one, and the last whose key is below it; nullptr: there is none.
    template <typename Key>
    Node *first_from(const Key &key) const noexcept {
        Node *found = nullptr;
        for (Node *node = root_; node;) {
            const bool below = node->key() < key;
            if (!below) found = node;
            node = below ? node->right : node->left;
        }
        return found;
    }
    template <typename Key>
    Node *last_before(const Key &key) const noexcept {
        Node *found = nullptr;
        for (Node *node = root_; node;) {
            const bool below = node->key() < key;
            if (below) found = node;
            node = below ? node->right : node->left;
        }
        return found;
    }
    template <typename Key>
    Node *find(const Key &key) const noexcept {
        Node *node = first_from(key);
        return node && !(key < node->key()) ? node : nullptr;
    }
    Node *after(const Node &node) const noexcept {
        Node *found = nullptr;
        for (Node *next = root_; next;) {
            const bool above = node.key() < next->key();
            if (above) found = next;
            next = above ? next->left : next->right;
        }
        return found;
    }

    void insert(Node &made) noexcept {
        made.rank = random_rank();
        const auto key = made.key();
        Node **place = &root_;
        while (*place && (*place)->rank >= made.rank)
            place = (*place)->key() < key ? &(*place)->right : &(*place)->left;
        // What stands here goes below the new node, on both of its sides.
        Node *rest = *place;
        *place = &made;
        Node **left = &made.left;
        Node **right = &made.right;
        while (rest) {
            if (rest->key() < key) {
                *left = rest;
                left = &rest->right;
                rest = rest->right;
            } else {
                *right = rest;
                right = &rest->left;
                rest = rest->left;
            }
        }
        *left = *right = nullptr;
        ++size_;
    }

    // The node is in the set.
    void erase(Node &gone) noexcept {
        const auto key = gone.key();
        Node **place = &root_;
        while (*place != &gone) place = (*place)->key() < key ? &(*place)->right : &(*place)->left;
        Node *left = gone.left;
        Node *right = gone.right;
        while (left && right) {
            if (left->rank >= right->rank) {
                *place = left;
                place = &left->right;
                left = left->right;
            } else {
                *place = right;
                place = &right->left;
                right = right->left;
            }
        }
        *place = left ? left : right;
        --size_;
    }

private:
    Node *outermost(Node *Node::*side) const noexcept {
        Node *node = root_;
        while (node && node->*side) node = node->*side;
        return node;
    }
    // Of 64 bits each, from a counter (splitmix64).
    uint64_t random_rank() noexcept {
        uint64_t mixed = ++inserted_ * 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
        return mixed ^ mixed >> 31;
    }

    Node *root_ = nullptr;
    size_t size_ = 0;
    uint64_t inserted_ = 0;
};

} // namespace gs
